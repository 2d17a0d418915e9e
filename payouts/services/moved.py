"""Payouts to an address that was given up: held when that happens, then let go or sent elsewhere by a person.

Source: docs/adr/0046.
"""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.dispatch import receiver

from chains.transfers import withdraw_transfer
from core.clock import now
from merchants.audit import record_audit
from merchants.principal import Principal
from payments.services.settlement_effect import address_changed
from payouts.errors import PayoutDestinationOutdated, PayoutNotPossible, PayoutNotResumable
from payouts.models import Payout
from payouts.selectors import is_paused, visible_payout
from payouts.services.destination import NOT_BY_SETTINGS, present_destination
from payouts.services.dispatch import hold_moved
from payouts.services.plan import own_signer
from payouts.services.transition import apply_trigger, locked_payout, wake_worker
from payouts.states import DESTINATION_CHANGED, MERCHANT_PAUSED, PAYOUT_MACHINE, PayoutStatus

MOST_AT_ONCE = 500
"""Held when a change takes effect. Why others may wait: each is asked again before it is sent."""
RELEASED, REPLACED = "destination_released", "destination_replaced"
OUTCOME_UNKNOWN = "outcome_unknown"


@receiver(address_changed)
def hold_all_moved(merchant_id: int, mode: str, **_: Any) -> int:
    """Hold back what waits for an address that was given up; returns how many. Call it once the change is committed.

    Locks: each payout by itself, then its transfer.
    """
    waiting = Payout.objects.filter(merchant_id=merchant_id, mode=mode, destination_released_by="")
    waiting = waiting.exclude(status__in=(*PAYOUT_MACHINE.terminal, PayoutStatus.PAUSED))
    of_settings = waiting.exclude(rail__in=NOT_BY_SETTINGS).order_by("created_at", "pk")
    return sum(hold_moved(pk) for pk in list(of_settings.values_list("pk", flat=True)[:MOST_AT_ONCE]))


@transaction.atomic
def release_payout(principal: Principal, payout_id: UUID, destination: str) -> Payout:
    """Let a payout go to its old address after all. ``destination`` is the one that the person read.

    Raises: NotFound; PayoutNotResumable unless it is held for its address; PayoutDestinationOutdated.
    Locks: the payout.
    """
    payout = _held(principal, payout_id)
    if destination != payout.destination:
        raise PayoutDestinationOutdated
    record_audit(principal, "payout.released", str(payout.pk), after={"destination": payout.destination})
    _go_on(payout, principal, RELEASED, destination_released_by=principal.actor)
    return payout


@transaction.atomic
def readdress_payout(principal: Principal, payout_id: UUID, destination: str) -> Payout:
    """Send a payout to the merchant's present address instead, by a new order. ``destination`` is what the person read.

    Raises: NotFound; PayoutNotResumable unless it is held for its address and nothing of it may land;
    PayoutDestinationOutdated; PayoutNotPossible where there is no other address to send it to.
    Locks: the payout, then its transfer, which is withdrawn first: a slow worker could still sign it.
    """
    payout = _held(principal, payout_id)
    present = present_destination(payout)
    account = own_signer(payout.intent) if payout.intent else None
    if not present:
        raise PayoutNotPossible("destination_missing")
    if account is not None and account.address == present:
        raise PayoutNotPossible("already_there")
    if destination != present:
        raise PayoutDestinationOutdated
    if payout.transfer_id and not withdraw_transfer(payout.transfer_id, actor=principal.actor):
        raise PayoutNotResumable(payout.status, OUTCOME_UNKNOWN)
    sides = {"before": {"destination": payout.destination}, "after": {"destination": present}}
    record_audit(principal, "payout.readdressed", str(payout.pk), **sides)
    _go_on(payout, principal, REPLACED, destination=present, destination_released_by="")
    return payout


def _held(principal: Principal, payout_id: UUID) -> Payout:
    visible_payout(principal, payout_id)
    payout = locked_payout(payout_id)
    if payout.status != PayoutStatus.PAUSED or payout.failure_reason != DESTINATION_CHANGED:
        raise PayoutNotResumable(payout.status)
    if is_paused(payout.merchant_id, payout.mode):
        raise PayoutNotResumable(payout.status, MERCHANT_PAUSED)
    return payout


def _go_on(payout: Payout, principal: Principal, reason: str, **facts: str) -> None:
    apply_trigger(
        payout, "resume", actor=principal.actor, reason=reason, failure_reason="", next_attempt_at=now(), **facts
    )
    wake_worker()
