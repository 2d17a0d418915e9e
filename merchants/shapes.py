"""What a key may know of itself, and of what it asked: each a shape and the function that writes it."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, TypedDict

from django.conf import settings

from core.clock import now, wire_time
from core.modes import Mode
from core.parsers import parse_exactly
from core.shapes import Code, ModeName, Moment, Uuid
from merchants.authentication import KnownKey
from merchants.models import KeyKind, Merchant, RequestRecord
from merchants.scopes import KeyScope
from merchants.throttling import LIMITS

KINDS: Final = {KeyKind.SECRET.value: "secret", KeyKind.RESTRICTED.value: "restricted"}


class AccountMerchantShape(TypedDict):
    """Whose key it is."""

    id: Code
    name: str


class AccountKeyShape(TypedDict):
    """The key that asks."""

    id: Code
    kind: Annotated[str, tuple(KINDS.values())]
    scopes: Annotated[list[Annotated[str, KeyScope]], "What it may do; a secret key has every scope, and more."]


class RateLimitShape(TypedDict):
    """One limit on how often may be asked."""

    name: Annotated[Code, "What is counted: all `requests` together, or those of one operation."]
    limit: int
    per_seconds: int


class AccountShape(TypedDict):
    """What a key may know of itself."""

    merchant: AccountMerchantShape
    mode: ModeName
    key: AccountKeyShape
    limits: list[RateLimitShape]
    server_time: Moment
    api_version: str


class LoggedRequestShape(TypedDict):
    """One answered request, as the request log keeps it."""

    id: Annotated[Code, "The name of the request, `req_…`, as the header Request-Id said it."]
    created_at: Moment
    method: Annotated[Code, "The method, such as `POST`."]
    path: Annotated[str, "The path; its pattern where a word in it was no id."]
    query: Annotated[str, "The query; values that may be private are left out."]
    status: Annotated[int, "What was answered."]
    code: Annotated[Code | None, "The code of a refusal; null where nothing was refused."]
    duration_ms: Annotated[int, "How long the answer took, in milliseconds."]
    key_id: Annotated[Code, "The key that asked, as `key.id` of its account names it."]
    payment_intent_id: Annotated[Uuid | None, "The payment intent that it named or created; null where there is none."]
    address: Annotated[str, "The network address that it came from."]
    user_agent: Annotated[str, "The program that asked, as it called itself."]
    body: Annotated[dict[str, Any] | None, "What was sent; of what may be private the kind and the length."]


def request_body(record: RequestRecord) -> LoggedRequestShape:
    """A line of the log on the wire."""
    return {
        "id": record.request_id,
        "created_at": wire_time(record.created_at),
        "method": record.method,
        "path": record.path,
        "query": record.query,
        "status": record.status,
        "code": record.code or None,
        "duration_ms": record.duration_ms,
        "key_id": str(record.key_id),
        "payment_intent_id": None if record.object_id is None else str(record.object_id),
        "address": record.address,
        "user_agent": record.user_agent,
        "body": parse_exactly(record.body.encode()) if record.body else None,
    }


def account_body(key: KnownKey, merchant: Merchant) -> AccountShape:
    """The key's account on the wire."""
    scopes: Iterable[str] = key.scopes if key.kind == KeyKind.RESTRICTED else KeyScope
    return {
        "merchant": {"id": str(merchant.pk), "name": merchant.name},
        "mode": key.principal.mode,
        "key": {"id": str(key.id), "kind": KINDS[key.kind], "scopes": [str(scope) for scope in scopes]},
        "limits": _limits(key.principal.mode),
        "server_time": wire_time(now()),
        "api_version": settings.API_VERSION,
    }


def _limits(mode: Mode) -> list[RateLimitShape]:
    return [
        {"name": name, "limit": int(limit.capacity), "per_seconds": limit.window_seconds}
        for name, by_mode in LIMITS.items()
        for limit in by_mode[mode]
    ]
