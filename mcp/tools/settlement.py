"""Following one intent's settlement."""

from typing import Any

from mcp.arguments import intent_id_in
from mcp.caller import Caller
from mcp.scopes import Scope
from mcp.tool import Arguments, Tool
from mcp.tools import schemas
from payments.selectors import settlement_summary, visible_intent
from payments.states import IntentStatus

POLL_AFTER_SECONDS = 4
"""Source: specification, Agent tool interface (poll every 3 to 5 seconds)."""
ENDED = frozenset(
    {IntentStatus.SETTLED, IntentStatus.EXPIRED, IntentStatus.REFUNDED, IntentStatus.CANCELLED, IntentStatus.FAILED}
)


def _poll_settlement(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    intent = visible_intent(caller.principal, intent_id_in(arguments))
    ended = intent.status in ENDED
    return {
        **settlement_summary(intent),
        "mode": intent.mode,
        "terminal": ended,
        "poll_after_seconds": None if ended else POLL_AFTER_SECONDS,
    }


POLL_SETTLEMENT = Tool(
    name="poll_settlement",
    title="Poll settlement",
    description=(
        "Read how far the settlement of one payment intent of the connection's mode is. Changes nothing. "
        "Until terminal is true, call again after poll_after_seconds, which is 3 to 5."
    ),
    scope=Scope.READ_INTENTS,
    input_schema=schemas.some_object({"payment_intent_id": schemas.INTENT_ID}),
    output_schema=schemas.some_object(
        {
            "id": schemas.UUID,
            "status": {"type": "string", "enum": IntentStatus.values},
            "amount_received_usd": schemas.USD,
            "platform_fee_usd": schemas.USD,
            "net_settlement_usd": schemas.USD,
            "settled_at": schemas.or_null(schemas.MOMENT),
            "mode": schemas.MODE,
            "terminal": {"type": "boolean"},
            "poll_after_seconds": schemas.or_null({"type": "integer", "minimum": 3, "maximum": 5}),
        }
    ),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    run=_poll_settlement,
)
