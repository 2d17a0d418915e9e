"""Paying a settled intent out."""

from typing import Any

from mcp.caller import Caller
from mcp.money_requests import payout_request
from mcp.scopes import Scope
from mcp.services.asking import Ask, asking_first
from mcp.tool import Arguments, Tool
from mcp.tools import schemas
from merchants.admission import Admit
from payouts.services import CreatedPayout, create_payout


def _create_payout(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    """Why no transaction around the service: calls that come together tell each other apart by its own."""
    request = payout_request(arguments)
    key = request.idempotency_key
    ask = Ask(tool=CREATE_PAYOUT.name, intent_id=request.intent_id, idempotency_key=key, arguments=arguments)

    def act(admit: Admit) -> CreatedPayout:
        return create_payout(caller.principal, request.intent_id, key, admit=admit, rest=request.rest)

    made = asking_first(caller, ask, act)
    joined = {"coalesced": True} if made.coalesced else {}
    return {"result": {"payoutId": str(made.payout.pk), **joined}}


CREATE_PAYOUT = Tool(
    name="create_payout",
    title="Create payout",
    description=(
        "Pay one settled payment intent out to the merchant: all that it holds, less what refunds hold. Where it "
        "settled at the merchant's own signing account, that account sends it to the address in the merchant's "
        "settings as they are when this is called; otherwise it is at its settlement address already, and nothing "
        "more is sent. Moves money and cannot be undone; in test mode no real money. A repeat, with the same "
        "idempotency_key or for the same intent, returns the same payoutId and sends nothing. Only with rest: true is "
        "what came after that payout paid out too. Takes no destination and no amount. Held to the limits per call, "
        "day, hour and minute that a person set; above their threshold the answer is approval_required and nothing is "
        "sent. Follow it with get_payment_intent, include payouts."
    ),
    scope=Scope.WRITE_PAYOUTS,
    input_schema=schemas.some_object(
        {
            "payment_intent_id": schemas.INTENT_ID,
            "idempotency_key": schemas.IDEMPOTENCY_KEY,
            "rest": {"type": "boolean", "description": "True: pay out what came after the intent's last payout."},
        },
        optional=("rest",),
    ),
    output_schema=schemas.some_object(
        {
            "result": schemas.some_object(
                {
                    "payoutId": schemas.UUID,
                    "coalesced": {"const": True, "description": "This call joined one that was under way."},
                },
                optional=("coalesced",),
            )
        }
    ),
    read_only=False,
    destructive=True,
    idempotent=True,
    open_world=True,
    run=_create_payout,
)
