"""Reads of payouts that are more than a filter."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from chains.transfers import RailName
from core.clock import now
from core.compiled import compiled_once
from core.errors import NotFound
from core.ids import parse_public_id
from core.money import BaseUnits
from merchants.principal import Principal
from merchants.querysets import find_visible
from payments.models import PaymentIntent
from payments.services.balance import NOTHING, Outflows, Sum
from payouts.models import Payout, PayoutPolicy
from payouts.states import SENT, PayoutStatus


def payout_id_from(text: str) -> UUID:
    """The id in a path. Raises: NotFound for anything that is not one."""
    payout_id = parse_public_id(text)
    if payout_id is None:
        raise NotFound("payout")
    return payout_id


def visible_payout(principal: Principal, payout_id: UUID) -> Payout:
    """The principal's payout. Raises: NotFound, the same for unknown, foreign and other-mode ids."""
    payout = find_visible(Payout, principal, payout_id)
    if payout is None:
        raise NotFound("payout")
    return payout


def policy_of(principal: Principal) -> PayoutPolicy | None:
    """What the merchant chose for this mode; None: nothing, so it is paid out when somebody asks."""
    return PayoutPolicy.objects.visible_to(principal).first()


def paid_out_from(intent: PaymentIntent) -> Outflows:
    """What payouts take of an intent, those that are queued among them: what ``payments`` counts as leaving.

    Why not what is direct: nothing was sent for it. Why not what failed: nothing of it can land.
    """
    held = [
        (Sum(usd=payout.amount_usd, units=BaseUnits(payout.base_units)), payout.status in SENT)
        for payout in _holding(intent.pk)
    ]
    return Outflows(
        paid_out=sum((whole for whole, _ in held), NOTHING),
        gone=sum((whole for whole, is_sent in held if is_sent), NOTHING),
    )


@compiled_once
def _holding(intent_id: UUID) -> QuerySet[Payout]:
    rows = Payout.objects.filter(intent_id=intent_id)
    return rows.exclude(status=PayoutStatus.FAILED).exclude(rail=RailName.DIRECT)


def is_paused(merchant_id: int, mode: str) -> bool:
    """Whether the merchant wants nothing new sent."""
    policies = PayoutPolicy.objects.filter(merchant_id=merchant_id, mode=mode, paused_at__isnull=False)
    return policies.exists()


def oldest_due_at() -> datetime | None:
    """When the most overdue payout should have been looked at; None when nothing is due."""
    due = Payout.objects.filter(next_attempt_at__lte=now())
    return due.order_by("next_attempt_at").values_list("next_attempt_at", flat=True).first()
