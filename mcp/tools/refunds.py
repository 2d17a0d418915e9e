"""Sending back what an intent received."""

from typing import Any

import orjson

from mcp.caller import Caller
from mcp.money_requests import refund_request
from mcp.scopes import Scope
from mcp.services.asking import Ask, asking_first
from mcp.tool import Arguments, Tool
from mcp.tools import schemas
from mcp.tools.shape_schemas import REFUND_FIELDS
from mcp.tools.shapes import shown_refund
from merchants.admission import Admit
from merchants.claims import Answer, Claim, act_under
from merchants.principal import Principal
from refunds.models import MAX_REASON, Refund
from refunds.selectors import offers, visible_refund
from refunds.services.create import NewRefund, create_refund, refund_made_before
from refunds.shapes import refund_body

CREATED = 201
"""What REST says of a refund that it made: all answers that are kept have one form."""


def _create_refund(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    principal, request = caller.principal, refund_request(arguments)
    key = request.idempotency_key
    ask = Ask(tool=CREATE_REFUND.name, intent_id=request.intent_id, idempotency_key=key, arguments=arguments)
    refund = refund_made_before(principal, request) or asking_first(
        caller, ask, lambda admit: _made(principal, request, admit)
    )
    return {**shown_refund(refund), "mode": principal.mode.value}


def _made(principal: Principal, request: NewRefund, admit: Admit) -> Refund:
    """The one refund of the request's key. Raises: what ``create_refund`` and ``act_under`` raise."""

    def effect() -> Answer:
        earlier = refund_made_before(principal, request)
        refund = earlier or create_refund(principal, request, admit=admit)
        body = refund_body(refund, offers([refund]).get(refund.pk))
        return Answer(http_status=CREATED, body=body, is_repeat=earlier is not None)

    claim = Claim(scope=principal.idempotency_scope, key=request.idempotency_key, fingerprint=request.fingerprint)
    sent = claim.replay() or act_under(claim, effect)
    return visible_refund(principal, orjson.loads(sent.raw)["id"])


CREATE_REFUND = Tool(
    name="create_refund",
    title="Create refund",
    description=(
        "Send back a part or all of what one payment intent received, at most what is left of it. Moves money and "
        "cannot be undone; in test mode no real money. Takes no destination: the refund goes to the wallet that paid, "
        "where the merchant's policy allows that, else it waits with failure_reason missing_destination until the "
        "merchant names one. A repeat with the same idempotency_key returns the same refund and sends nothing. Held to "
        "the limits per call, day, hour and minute that a person set; above their threshold the answer is "
        "approval_required and nothing is sent. Follow it with get_payment_intent, include refunds."
    ),
    scope=Scope.WRITE_REFUNDS,
    input_schema=schemas.some_object(
        {
            "payment_intent_id": schemas.INTENT_ID,
            "amount_usd": {
                "type": "string",
                "pattern": r"^[0-9]{1,10}(\.[0-9]{1,6})?$",
                "description": 'Dollars as a decimal string with at most six decimals, such as "10.50".',
            },
            "reason": {
                "type": "string",
                "maxLength": MAX_REASON,
                "description": "Shown to the payer.",
            },
            "idempotency_key": schemas.IDEMPOTENCY_KEY,
        },
        optional=("reason",),
    ),
    output_schema=schemas.some_object({**REFUND_FIELDS, "mode": schemas.MODE}),
    read_only=False,
    destructive=True,
    idempotent=True,
    open_world=True,
    run=_create_refund,
)
