"""Creating and cancelling intents. No money moves out."""

from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.urls import reverse

from mcp.arguments import intent_id_in
from mcp.caller import Caller
from mcp.money_requests import key_in
from mcp.scopes import Scope
from mcp.tool import Arguments, Schema, Tool
from mcp.tools import schemas
from mcp.tools.shape_schemas import INTENT
from mcp.tools.shapes import shown_intent
from merchants.claims import Answer, Claim, Creation, create_under, fingerprint
from payments.intake import METADATA_KEYS, read_new_intent
from payments.models import MAX_NAME
from payments.selectors import visible_intent
from payments.serializers import (
    AMOUNT_MAXIMUM,
    LIFETIME_MAXIMUM_SECONDS,
    LIFETIME_MINIMUM_SECONDS,
)
from payments.services.cancel import cancel_intent
from payments.services.create import draft_intent
from payments.shapes import intent_body

CREATED = 201
"""What REST says of an intent that it made."""
_NAME: Schema = {"type": "string", "maxLength": MAX_NAME}
_BODY: dict[str, Schema] = {
    "amount": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": int(AMOUNT_MAXIMUM),
        "description": "US dollars as a number with at most two decimals, such as 25.50.",
    },
    "currency": {"type": "string", "maxLength": 8, "description": "Only USD; the default."},
    "settlement_chain": {**_NAME, "description": "A chain for which the merchant has a settlement address."},
    "settlement_token": {**_NAME, "description": "The symbol of a token on that chain."},
    "customer_email": {"type": "string", "maxLength": 254},
    "expires_in_seconds": {
        "type": "integer",
        "minimum": LIFETIME_MINIMUM_SECONDS,
        "maximum": LIFETIME_MAXIMUM_SECONDS,
    },
    "metadata": {"type": "object", "maxProperties": METADATA_KEYS, "description": "Whatever the merchant keeps by it."},
    "reference": {**_NAME, "description": "The merchant's own order number."},
}
"""REST's create body without ``settlement_address`` and ``return_url``: no tool takes a destination or an address
to which anybody is sent. Source: docs/guides/agents.md, The nine tools."""


def _create_payment_intent(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    """Why the answer is kept as REST writes it: all that are kept have one form."""
    principal = caller.principal
    body = {name: arguments[name] for name in _BODY if name in arguments}
    claim = Claim(
        scope=principal.idempotency_scope,
        key=key_in(arguments),
        fingerprint=fingerprint("POST", reverse("payment-intents"), body),
    )
    new = read_new_intent(body, principal)

    def creation() -> Creation:
        draft = draft_intent(principal, new)
        body = intent_body(draft.row, settings.BASE_URL)
        return Creation(draft=draft, answer=Answer(http_status=CREATED, body=body))

    sent = claim.replay() or create_under(claim, creation)
    return shown_intent(caller, visible_intent(principal, UUID(orjson.loads(sent.raw)["id"])))


CREATE_PAYMENT_INTENT = Tool(
    name="create_payment_intent",
    title="Create payment intent",
    description=(
        "Ask for a payment: makes a payment intent in the connection's mode and returns it with the checkout_url to "
        "give to the payer. No money moves out. It settles to the merchant's own address; settlement_chain and "
        "settlement_token only choose among what the merchant has an address for. For 24 hours a repeat with the same "
        "idempotency_key and arguments returns the same intent; with other arguments it is refused."
    ),
    scope=Scope.WRITE_INTENTS,
    input_schema=schemas.some_object(
        {**_BODY, "idempotency_key": schemas.IDEMPOTENCY_KEY},
        optional=tuple(name for name in _BODY if name != "amount"),
    ),
    output_schema=INTENT,
    read_only=False,
    destructive=False,
    idempotent=True,
    open_world=False,
    run=_create_payment_intent,
)

CANCEL_PAYMENT_INTENT = Tool(
    name="cancel_payment_intent",
    title="Cancel payment intent",
    description=(
        "Cancel one payment intent of the connection's mode that nobody has paid, for good: its checkout page takes no "
        "payment any more. No money moves. Refused once a payment is on its way, anything was received, or it is over; "
        "details.status then says how it stands, and cancelled means that it was cancelled before."
    ),
    scope=Scope.WRITE_INTENTS,
    input_schema=schemas.some_object({"payment_intent_id": schemas.INTENT_ID}),
    output_schema=INTENT,
    read_only=False,
    destructive=True,
    idempotent=True,
    open_world=False,
    run=lambda caller, arguments: shown_intent(caller, cancel_intent(caller.principal, intent_id_in(arguments))),
)
