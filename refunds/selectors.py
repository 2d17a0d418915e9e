"""Reads of refunds: what each audience is shown, and what is left to refund."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from core.clock import now, optional_wire_time, wire_time
from core.compiled import compiled_once
from core.errors import NotFound
from core.ids import parse_public_id
from core.money import BaseUnits, from_base_units, json_number, to_decimal_string
from merchants.principal import Principal
from merchants.querysets import find_visible
from payments.models import PaymentIntent, stray_id_of
from payments.services.balance import NOTHING, Outflows, Sum, was_unsettled
from payments.states import IntentStatus
from refunds.models import Refund
from refunds.shares import Share, offers
from refunds.states import PUBLIC_STATUS, RECORD_STATUS, REFUND_MACHINE, RELEASED, SENT, R

__all__ = [
    "Share",
    "destination_tail",
    "offers",
    "oldest_due_at",
    "public_refund",
    "public_view",
    "refund_facts",
    "returned_from",
    "visible_refund",
]

TAIL_LENGTH = 6
"""Source: specification, Refund public status view."""


def visible_refund(principal: Principal, text: str) -> Refund:
    """The principal's refund. Raises: NotFound, the same for unknown, malformed, foreign and other-mode ids."""
    refund_id = parse_public_id(text)
    refund = None if refund_id is None else find_visible(Refund, principal, refund_id)
    if refund is None:
        raise NotFound("refund")
    return refund


def public_refund(text: str) -> Refund:
    """The refund behind a status link, whose id is the permission. Raises: NotFound."""
    refund_id = parse_public_id(text)
    refund = None if refund_id is None else Refund.objects.open_to_public(refund_id).first()
    if refund is None:
        raise NotFound("refund")
    return refund


def refund_facts(refund: Refund, **destination: str) -> dict[str, Any]:
    """What the merchant is shown, with the destination as the caller shows it."""
    return {
        "id": str(refund.pk),
        "payment_intent_id": str(refund.intent_id),
        "amount_usd": json_number(refund.amount_usd),
        "chain": refund.chain,
        "token": refund.token,
        **destination,
        "reason": refund.reason,
        "status": RECORD_STATUS[R(refund.status)],
        "tx_hash": refund.tx_hash or None,
        "created_at": wire_time(refund.created_at),
        "paid_at": optional_wire_time(refund.paid_at),
        "failure_reason": refund.failure_reason or None,
        "attempts": refund.attempts,
        "updated_at": wire_time(refund.updated_at),
        "stray_id": None if refund.stray_id is None else str(stray_id_of(refund.intent_id, refund.stray_id)),
        "token_amount": to_decimal_string(from_base_units(refund.base_units, refund.token_decimals), 0),
    }


def public_view(refund: Refund) -> dict[str, Any]:
    """What anyone with the link may read. Source: specification. Nothing beyond its keys may appear."""
    return {
        "id": str(refund.pk),
        "payment_intent_id": str(refund.intent_id),
        "amount_usd": json_number(refund.amount_usd),
        "chain": refund.chain or None,
        "token": refund.token or None,
        "destination_tail": destination_tail(refund),
        "reason": refund.reason,
        "status": PUBLIC_STATUS[R(refund.status)],
        "tx_hash": refund.tx_hash or None,
        "failure_reason": refund.failure_reason or None,
        "attempts": refund.attempts,
        "created_at": wire_time(refund.created_at),
        "updated_at": wire_time(refund.updated_at),
        "paid_at": optional_wire_time(refund.paid_at),
        "terminal": refund.status in REFUND_MACHINE.terminal,
    }


def destination_tail(refund: Refund) -> str:
    """The end of the destination behind an ellipsis; empty where there is none yet."""
    return f"…{refund.destination[-TAIL_LENGTH:]}" if refund.destination else ""


def returned_from(intent: PaymentIntent) -> Outflows:
    """What refunds send back of an intent, those that wait among them: what ``payments`` counts as leaving.

    Why summed here: SQLite would lose digits. Why one query: dollars and units of each refund belong together.
    Why without strays given back: they were never counted as having come.
    """
    holding = _holding(intent.pk)
    held = [
        (
            _whole(refund),
            Sum(usd=refund.other_funds_usd, units=BaseUnits(refund.other_funds_units)),
            refund.status in SENT,
        )
        for refund in holding
    ]
    return Outflows(
        returned=sum((whole for whole, _, _ in held), NOTHING),
        unsettled=sum((_whole(refund) for refund in _asked_while_open(intent, holding)), NOTHING),
        replaced=sum((other for _, other, _ in held), NOTHING),
        gone=sum((whole.less(other) for whole, other, is_sent in held if is_sent), NOTHING),
    )


@compiled_once
def _holding(intent_id: UUID) -> QuerySet[Refund]:
    return Refund.objects.filter(intent_id=intent_id, stray=None).exclude(status__in=RELEASED)


def _asked_while_open(intent: PaymentIntent, refunds: list[Refund]) -> list[Refund]:
    """Those that were asked for while the intent was not settled. One query, where it was settled and is not now."""
    if not was_unsettled(intent):
        return refunds
    moves = list(intent.history.order_by("created_at", "id").values_list("created_at", "to_status"))
    return [refund for refund in refunds if _status_at(moves, refund.created_at) != IntentStatus.SETTLED]


def _status_at(moves: list[tuple[datetime, str]], moment: datetime) -> str:
    return next((status for at, status in reversed(moves) if at <= moment), "")


def _whole(refund: Refund) -> Sum:
    return Sum(usd=refund.amount_usd, units=BaseUnits(refund.base_units))


def oldest_due_at() -> datetime | None:
    """When the most overdue refund should have been looked at; None when nothing is due."""
    due = Refund.objects.filter(next_attempt_at__lte=now())
    return due.order_by("next_attempt_at").values_list("next_attempt_at", flat=True).first()
