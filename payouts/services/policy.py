"""What a merchant wants done by itself: pay out at settle, pause everything, go on."""

from uuid import UUID

from django.db import transaction

from core.clock import now
from merchants.principal import Principal
from payouts.errors import PayoutNotResumable
from payouts.models import Payout, PayoutPolicy
from payouts.selectors import is_paused, visible_payout
from payouts.services.transition import apply_trigger, locked_payout, wake_worker
from payouts.states import PAYOUT_MACHINE, PayoutStatus

MERCHANT_PAUSED = "merchant_paused"


@transaction.atomic
def set_payout_at_settle(principal: Principal, *, enabled: bool) -> PayoutPolicy:
    """Have every intent that settles from now on paid out by itself, or no more. Saying it twice changes nothing."""
    policy = _locked_policy(principal)
    if enabled == (policy.at_settle_since is not None):
        return policy
    policy.at_settle_since = policy.swept_until = now() if enabled else None
    policy.save(update_fields=["at_settle_since", "swept_until"])
    return policy


@transaction.atomic
def pause_payouts(principal: Principal) -> PayoutPolicy:
    """Send nothing new until ``resume_payouts``. What was signed already is followed to its end."""
    policy = _locked_policy(principal)
    if policy.paused_at is None:
        policy.paused_at = now()
        policy.save(update_fields=["paused_at"])
    return policy


@transaction.atomic
def resume_payouts(principal: Principal) -> PayoutPolicy:
    """Lift the pause; the workers take every paused payout up again."""
    policy = _locked_policy(principal)
    policy.paused_at = None
    policy.save(update_fields=["paused_at"])
    waiting = Payout.objects.visible_to(principal).filter(status=PayoutStatus.PAUSED)
    waiting.update(next_attempt_at=now())
    wake_worker()
    return policy


@transaction.atomic
def resume_payout(principal: Principal, payout_id: UUID) -> Payout:
    """Queue one paused payout again. Raises: NotFound; PayoutNotResumable, also while all payouts are paused."""
    visible_payout(principal, payout_id)
    payout = locked_payout(payout_id)
    if not PAYOUT_MACHINE.allows(payout.status, "resume"):
        raise PayoutNotResumable(payout.status)
    if is_paused(payout.merchant_id, payout.mode):
        raise PayoutNotResumable(payout.status, MERCHANT_PAUSED)
    apply_trigger(payout, "resume", actor=principal.actor, failure_reason="", next_attempt_at=now())
    wake_worker()
    return payout


def _locked_policy(principal: Principal) -> PayoutPolicy:
    PayoutPolicy.objects.get_or_create(merchant_id=principal.merchant_id, mode=principal.mode)
    return PayoutPolicy.objects.visible_to(principal).select_for_update().get()
