"""Opening the books: rows of money that were there before the books were are booked, payment by payment.

Gone through twice, the second time when no program of the release before runs any more: those book nothing.
Source: docs/adr/0112.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from core.clock import now, ticks
from core.transitions import for_update
from ledger.accounts import Kind
from ledger.models import Opening
from ledger.services import booked, bring_in_line
from ledger.standing import Standing
from payments.models import Credit, Leg, PaymentIntent
from payments.services.balance import balance
from payments.services.booking import owed_standing
from payments.services.booking import standing as standing_of_payment
from payments.services.transition import locked_intent
from payouts.models import Payout
from payouts.services.booking import standing as standing_of_payout
from refunds.models import Refund
from refunds.services.booking import standing as standing_of_refund

AT_ONCE, MOST = 200, 50
"""Payments that are read together, and how often in one turn of the clock."""
A_WHILE_SECONDS = 5
PASSES = 2
OLD_PROGRAMS_END = timedelta(hours=1)
"""How long after the first pass began programs of the release before may still write."""


def open_books() -> bool:
    """Book rows of before for some seconds; whether the books are complete."""
    opening = Opening.objects.order_by("pk").first() or Opening.objects.create()
    began = ticks()
    for _ in range(MOST):
        rests = opening.passes > 0 and now() < opening.began_at + OLD_PROGRAMS_END
        if opening.finished_at is not None or ticks() - began > A_WHILE_SECONDS or rests:
            break
        later = PaymentIntent.objects.filter(pk__gt=opening.after).order_by("pk")
        keys = list(later.values_list("pk", flat=True)[:AT_ONCE])
        for intent_id in sorted(_with_money(keys)):
            book_payment(intent_id)
        if keys:
            opening.after = keys[-1]
        else:
            _end_pass(opening)
        opening.save()
    return opening.finished_at is not None


def forget_opening() -> None:
    """Have all payments gone through again, when this release comes back: the one before books nothing."""
    Opening.objects.all().delete()


def _end_pass(opening: Opening) -> None:
    """Why no second pass where nothing is older than the books: no program of before ever wrote there."""
    opening.passes, opening.after = opening.passes + 1, UUID(int=0)
    is_new = not PaymentIntent.objects.filter(created_at__lt=opening.began_at).exists()
    if is_new or opening.passes >= PASSES:
        opening.finished_at = now()


def _with_money(intent_ids: Sequence[UUID]) -> set[UUID]:
    """Those of these payments that have anything to be booked."""
    found = set(PaymentIntent.objects.filter(pk__in=intent_ids, owed_usd__gt=0).values_list("pk", flat=True))
    came = Credit.objects.filter(_of(intent_ids))
    found |= {pk for pair in came.values_list("intent_id", "leg__intent_id") for pk in pair if pk in set(intent_ids)}
    for model in (Refund, Payout):
        found |= set(model._default_manager.filter(intent__in=intent_ids).values_list("intent_id", flat=True))
    return found


def _of(intent_ids: Sequence[UUID]) -> Q:
    """Credits of these payments, and nobody's that moved in the calls of their legs."""
    return Q(intent__in=intent_ids) | Q(intent=None, leg__intent__in=intent_ids)


@transaction.atomic
def book_payment(intent_id: UUID) -> None:
    """Bring the books of one payment in line with its rows. Locks: the intent, its refunds, payouts and credits."""
    intent = locked_intent(intent_id)
    standings = list(_standings(intent))
    held = booked(one.key for one in standings)
    for one in standings:
        bring_in_line(one, held[one.key], kind=Kind.OPENED)


def _standings(intent: PaymentIntent) -> Iterator[Standing]:
    mine = {"intent": intent}
    yield from map(standing_of_refund, for_update(Refund.objects.filter(**mine)).order_by("pk"))
    yield from map(standing_of_payout, for_update(Payout.objects.filter(**mine)).order_by("pk"))
    credits = for_update(Credit.objects.select_related("leg").filter(_of([intent.pk])))
    yield from map(standing_of_payment, credits.order_by("pk"))
    yield from map(standing_of_payment, Leg.objects.filter(**mine).order_by("sequence"))
    held = balance(intent)
    owed = held.gone.less(held.received)
    yield owed_standing(intent, owed.units, intent.owed_usd)
