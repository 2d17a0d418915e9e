"""Reading intents: one with what belongs to it, how far its settlement is, or a page of them."""

from collections.abc import Callable
from typing import Any

from core.pagination import PageLimits, page_body, read_page
from core.snapshot import one_moment
from mcp.arguments import intent_id_in
from mcp.caller import Caller
from mcp.scopes import Scope
from mcp.tool import Arguments, Schema, Tool
from mcp.tools import schemas, shapes
from mcp.tools.shape_schemas import (
    EXPLANATION,
    INCLUDE_UNTRUSTED,
    INTENT,
    INTENT_FIELDS,
    INTENT_UNTRUSTED,
    LEG,
    PAYOUT,
    REFUND,
    ROUTE,
)
from payments.explanation import explain, explanation_body
from payments.models import PaymentIntent
from payments.selectors import candidates_of, legs_of, settlement_summary, visible_intent
from payments.states import IntentStatus
from payouts.models import Payout
from refunds.models import Refund

LIMITS = PageLimits(default=20, maximum=100)
"""Source: specification, Limits; docs/guides/agents.md, The nine tools."""
MOST_INCLUDED = 50
"""Rows of each included list; which are older is said by ``has_more``."""

POLL_AFTER_SECONDS = 4
"""Source: specification, Agent tool interface (poll every 3 to 5 seconds)."""
ENDED = frozenset(
    {IntentStatus.SETTLED, IntentStatus.EXPIRED, IntentStatus.REFUNDED, IntentStatus.CANCELLED, IntentStatus.FAILED}
)

Part = Callable[[PaymentIntent, bool], Any]


def _transactions(intent: PaymentIntent, include_untrusted: bool) -> dict[str, Any]:  # noqa: FBT001 - one signature
    rows = legs_of(intent)
    return _newest([shapes.shown_leg(leg, include_untrusted=include_untrusted) for leg in rows[-MOST_INCLUDED:]], rows)


def _routing(intent: PaymentIntent, include_untrusted: bool) -> dict[str, Any]:  # noqa: FBT001 - one signature
    rows = candidates_of(intent)
    return _newest([shapes.shown_route(one, include_untrusted=include_untrusted) for one in rows[:MOST_INCLUDED]], rows)


def _refunds(intent: PaymentIntent, include_untrusted: bool) -> dict[str, Any]:  # noqa: FBT001 - one signature
    rows: list[Refund] = list(intent.refunds.order_by("-created_at", "-id")[: MOST_INCLUDED + 1])
    return _newest(shapes.shown_refunds(rows[:MOST_INCLUDED], include_untrusted=include_untrusted), rows)


def _payouts(intent: PaymentIntent, include_untrusted: bool) -> dict[str, Any]:  # noqa: FBT001 - one signature
    rows: list[Payout] = list(intent.payouts.order_by("-created_at", "-id"))
    return _newest([shapes.shown_payout(one, include_untrusted=include_untrusted) for one in rows], rows)


def _newest(shown: list[dict[str, Any]], rows: list[Any]) -> dict[str, Any]:
    return {"data": shown, "has_more": len(rows) > len(shown)}


def _list_of(item: Schema) -> Schema:
    return schemas.some_object({"data": {"type": "array", "items": item}, "has_more": {"type": "boolean"}})


_PARTS: dict[str, tuple[Part, Schema]] = {
    "transactions": (_transactions, _list_of(LEG)),
    "routing": (_routing, _list_of(ROUTE)),
    "refunds": (_refunds, _list_of(REFUND)),
    "payouts": (_payouts, _list_of(PAYOUT)),
    "explain": (lambda intent, _: explanation_body(intent, explain(intent)), EXPLANATION),
}
"""What may be included: how it is read, and its shape."""


@one_moment()
def _get_payment_intent(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    intent = visible_intent(caller.principal, intent_id_in(arguments))
    include_untrusted = arguments.get("include_untrusted", False) is True
    shown = shapes.shown_intent(caller, intent, include_untrusted=include_untrusted)
    wanted = arguments.get("include", ())
    return shown | {name: read(intent, include_untrusted) for name, (read, _) in _PARTS.items() if name in wanted}


def _list_payment_intents(caller: Caller, arguments: Arguments) -> dict[str, Any]:
    mine = PaymentIntent.objects.visible_to(caller.principal)
    shown = mine.filter(status=arguments["status"]) if "status" in arguments else mine
    query = {"limit": str(arguments.get("limit", LIMITS.default))}
    if "starting_after" in arguments:
        last_seen = visible_intent(caller.principal, intent_id_in(arguments, "starting_after"))
        query["starting_after"] = str(last_seen.pk)
    page = read_page(shown, query, LIMITS, cursors=mine)
    return {
        "mode": caller.principal.mode.value,
        **page_body(page, [shapes.shown_intent(caller, one) for one in page.rows]),
    }


GET_PAYMENT_INTENT = Tool(
    name="get_payment_intent",
    title="Get payment intent",
    description=(
        "Read one payment intent of the connection's mode, and on request its transactions, weighed routes, refunds, "
        "payouts, or a short explanation of where the money is and what comes next. Changes nothing. Each included "
        f"list holds at most {MOST_INCLUDED} entries. Follow a refund or payout with this tool."
    ),
    scope=Scope.READ_INTENTS,
    input_schema=schemas.some_object(
        {
            "payment_intent_id": schemas.INTENT_ID,
            "include": {
                "type": "array",
                "items": {"type": "string", "enum": list(_PARTS)},
                "uniqueItems": True,
                "maxItems": len(_PARTS),
                "description": "What to show besides the intent.",
            },
            "include_untrusted": INCLUDE_UNTRUSTED,
        },
        optional=("include", "include_untrusted"),
    ),
    output_schema=schemas.some_object(
        {**INTENT_FIELDS, "untrusted": INTENT_UNTRUSTED, **{name: shape for name, (_, shape) in _PARTS.items()}},
        optional=("untrusted", *_PARTS),
    ),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    run=_get_payment_intent,
)

LIST_PAYMENT_INTENTS = Tool(
    name="list_payment_intents",
    title="List payment intents",
    description=(
        "Read the payment intents of the connection's mode, newest first. Changes nothing. "
        f"At most {LIMITS.maximum} a call, {LIMITS.default} unless asked; go on with starting_after. "
        "Shows no text that customers wrote."
    ),
    scope=Scope.READ_INTENTS,
    input_schema=schemas.some_object(
        {
            "status": {"type": "string", "enum": IntentStatus.values, "description": "Only intents in this status."},
            "limit": {"type": "integer", "minimum": 1, "maximum": LIMITS.maximum, "default": LIMITS.default},
            "starting_after": {**schemas.UUID, "description": "The next_cursor of the page before."},
        },
        optional=("status", "limit", "starting_after"),
    ),
    output_schema=schemas.some_object(
        {
            "mode": schemas.MODE,
            "data": {"type": "array", "items": INTENT},
            "has_more": {"type": "boolean"},
            "next_cursor": schemas.or_null(schemas.UUID),
        }
    ),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    run=_list_payment_intents,
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
