"""What a merchant wants done by itself: pay out at settle, pause everything, go on."""

from uuid import UUID

from django.db import transaction

from chains.transfers import withdraw_transfer
from core.clock import now
from merchants.admission import HoldReason
from merchants.audit import record_audit
from merchants.principal import Principal
from payouts.errors import PayoutNotCancellable, PayoutNotResumable
from payouts.models import Payout, PayoutPolicy
from payouts.selectors import is_paused, visible_payout
from payouts.services.transition import apply_trigger, locked_payout, wake_worker
from payouts.states import CANCELLED, DESTINATION_CHANGED, MERCHANT_PAUSED, PAYOUT_MACHINE, PayoutStatus


@transaction.atomic
def set_payout_at_settle(principal: Principal, *, enabled: bool) -> PayoutPolicy:
    """Have every intent that settles from now on paid out by itself, or no more. Saying it twice changes nothing."""
    policy = _locked_policy(principal)
    if enabled == (policy.at_settle_since is not None):
        return policy
    policy.at_settle_since = policy.swept_until = policy.again_at = now() if enabled else None
    policy.look_at = None
    policy.save(update_fields=["at_settle_since", "swept_until", "again_at", "look_at"])
    record_audit(principal, "payouts.at_settle", before={"enabled": not enabled}, after={"enabled": enabled})
    return policy


@transaction.atomic
def pause_payouts(principal: Principal) -> PayoutPolicy:
    """Send nothing new until ``resume_payouts``. What was signed already is followed to its end."""
    policy = _locked_policy(principal)
    if policy.paused_at is None:
        policy.paused_at = now()
        policy.save(update_fields=["paused_at"])
        record_audit(principal, "payouts.paused")
    return policy


@transaction.atomic
def resume_payouts(principal: Principal) -> PayoutPolicy:
    """Lift the pause; the workers take every paused payout up again."""
    policy = _locked_policy(principal)
    if policy.paused_at is not None:
        record_audit(principal, "payouts.resumed", before={"paused_at": policy.paused_at})
    policy.paused_at = None
    policy.save(update_fields=["paused_at"])
    waiting = Payout.objects.visible_to(principal).filter(status=PayoutStatus.PAUSED)
    waiting.update(next_attempt_at=now())
    wake_worker()
    return policy


@transaction.atomic
def resume_payout(principal: Principal, payout_id: UUID) -> Payout:
    """Queue one paused payout again, whoever made it.

    Raises: NotFound; PayoutNotResumable, also while all are paused, or where it waits for a word on its address.

    What was held because its agent may not send it any more is released by that, for good.
    """
    visible_payout(principal, payout_id)
    payout = locked_payout(payout_id)
    if not PAYOUT_MACHINE.allows(payout.status, "resume"):
        raise PayoutNotResumable(payout.status)
    if is_paused(payout.merchant_id, payout.mode):
        raise PayoutNotResumable(payout.status, MERCHANT_PAUSED)
    if payout.failure_reason == DESTINATION_CHANGED:
        raise PayoutNotResumable(payout.status, DESTINATION_CHANGED)
    apply_trigger(
        payout, "resume", actor=principal.actor, failure_reason="", released_by=principal.actor, next_attempt_at=now()
    )
    wake_worker()
    return payout


@transaction.atomic
def cancel_held_payout(principal: Principal, payout_id: UUID) -> Payout:
    """End a payout that is held because its agent may not send it any more; it can be replayed like any that failed.

    Raises: NotFound; PayoutNotCancellable unless it is held so, and nothing of it may land.
    Locks: the payout, then its transfer.
    """
    visible_payout(principal, payout_id)
    payout = locked_payout(payout_id)
    is_held = payout.status == PayoutStatus.PAUSED and payout.failure_reason in set(HoldReason)
    if not is_held or (payout.transfer_id and not withdraw_transfer(payout.transfer_id, actor=principal.actor)):
        raise PayoutNotCancellable(payout.status)
    apply_trigger(payout, "resume", actor=principal.actor, reason=CANCELLED)
    apply_trigger(payout, "claim", actor=principal.actor, reason=CANCELLED)
    facts = {"reason": CANCELLED, "failure_reason": CANCELLED}
    apply_trigger(payout, "fail", actor=principal.actor, next_attempt_at=None, **facts)
    return payout


def _locked_policy(principal: Principal) -> PayoutPolicy:
    PayoutPolicy.objects.get_or_create(merchant_id=principal.merchant_id, mode=principal.mode)
    return PayoutPolicy.objects.visible_to(principal).select_for_update().get()
