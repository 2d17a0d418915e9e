"""Checking whether a received webhook is genuine and fresh, as a receiver would.

The secret is used and dropped: it is in no answer, no error and no row, and the audit redacts it by its name.
"""

import re
from typing import Any

import orjson

from core.clock import now
from mcp.arguments import id_in, refused
from mcp.caller import Caller
from mcp.scopes import Scope
from mcp.tool import Arguments, Tool
from mcp.tools import schemas
from webhooks.catalog import EVENT_NAMES
from webhooks.selectors import find_endpoint, valid_secrets
from webhooks.signatures import TOLERANCE_SECONDS, Refusal, verify

_SECRET, _ENDPOINT = "secret", "webhook_endpoint_id"
_EVENT_ID = re.compile(r"evt_[0-9a-f]{32}")
MAX_RAW_BODY = 262_144
BAD_FORMAT = "bad_format"
REASONS = {
    Refusal.TIMESTAMP_OUTSIDE_TOLERANCE: "timestamp_out_of_tolerance",
    Refusal.SIGNATURE_MISMATCH: "signature_mismatch",
}
"""Every other refusal is a header that cannot be read. Source: docs/guides/agents.md, The nine tools."""


def _verify_webhook(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    secrets = _secrets(caller, arguments)
    body = arguments["raw_body"].encode()
    verdict = verify(arguments["signature"], body, secrets, int(now().timestamp()))
    event_id, event_type = _event_in(body) if verdict.valid else (None, None)
    return {
        "valid": verdict.valid,
        "reason": None if verdict.refusal is None else REASONS.get(verdict.refusal, BAD_FORMAT),
        "timestamp": verdict.timestamp,
        "event_id": event_id,
        "event_type": event_type,
        "mode": caller.principal.mode.value,
    }


def _secrets(caller: Caller, arguments: Arguments) -> list[str]:
    """The secrets to try. Raises: InvalidRequest; NotFound for an endpoint that is not the caller's own."""
    if (_SECRET in arguments) == (_ENDPOINT in arguments):
        raise refused(_SECRET, "required", "Give either secret or webhook_endpoint_id, not both.")
    if _SECRET in arguments:
        secret: str = arguments[_SECRET]
        if not secret.strip():
            raise refused(_SECRET, "blank", "A signing secret must not be empty.")
        return [secret]
    endpoint = find_endpoint(caller.principal, str(id_in(arguments, _ENDPOINT)))
    return valid_secrets(endpoint)


def _event_in(body: bytes) -> tuple[str | None, str | None]:
    """Id and type of an event whose signature was right, each only in the form that the service writes."""
    try:
        event = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None, None
    fields = event if isinstance(event, dict) else {}
    event_id, event_type = fields.get("id"), fields.get("type")
    known_id = event_id if isinstance(event_id, str) and _EVENT_ID.fullmatch(event_id) else None
    return known_id, event_type if isinstance(event_type, str) and event_type in EVENT_NAMES else None


VERIFY_WEBHOOK = Tool(
    name="verify_webhook",
    title="Verify webhook",
    description=(
        "Check the Svc-Signature of a received webhook against a signing secret, or better against the secrets of one "
        "of the merchant's own endpoints in the connection's mode, so that no secret has to be shown. Changes nothing "
        f"and keeps nothing. A signature older or newer than {TOLERANCE_SECONDS} seconds is refused."
    ),
    scope=Scope.VERIFY_WEBHOOKS,
    input_schema=schemas.some_object(
        {
            "raw_body": {
                "type": "string",
                "maxLength": MAX_RAW_BODY,
                "description": "The body exactly as received, not parsed and written again.",
            },
            "signature": {
                "type": "string",
                "maxLength": 8192,
                "description": "The header's value: t=<unix seconds>,v1=<hex>.",
            },
            _SECRET: {
                "type": "string",
                "maxLength": 512,
                "description": "The endpoint's signing secret. Prefer webhook_endpoint_id.",
            },
            _ENDPOINT: {**schemas.UUID, "description": "Instead of secret: the id of the merchant's endpoint."},
        },
        optional=(_SECRET, _ENDPOINT),
    ),
    output_schema=schemas.some_object(
        {
            "valid": {"type": "boolean"},
            "reason": {"enum": [None, BAD_FORMAT, *REASONS.values()]},
            "timestamp": schemas.or_null({"type": "integer", "description": "Unix seconds, as the header says."}),
            "event_id": schemas.or_null({"type": "string", "pattern": f"^{_EVENT_ID.pattern}$"}),
            "event_type": schemas.or_null({"type": "string", "enum": sorted(EVENT_NAMES)}),
            "mode": schemas.MODE,
        }
    ),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    run=_verify_webhook,
)
