"""Reads of refunds: what each audience is shown, and what is left to refund."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from core.clock import now
from core.compiled import compiled_once
from core.errors import NotFound
from core.ids import parse_public_id
from core.money import BaseUnits
from merchants.principal import Principal
from merchants.querysets import find_visible
from payments.models import PaymentIntent
from payments.services.balance import NOTHING, Outflows, Sum, was_unsettled
from payments.states import IntentStatus
from refunds.models import Refund
from refunds.shares import Share, offers
from refunds.states import RELEASED, SENT

__all__ = [
    "Share",
    "offers",
    "oldest_due_at",
    "public_refund",
    "returned_from",
    "visible_refund",
]


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
