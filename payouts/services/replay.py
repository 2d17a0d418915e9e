"""Having a failed payout sent again."""

from uuid import UUID

from django.db import transaction

from chains.models import Transfer
from chains.transfers import may_still_land
from core.clock import now
from merchants.principal import Principal
from payments.errors import IntentNotSettled
from payments.states import IntentStatus
from payouts.errors import PayoutNotReplayable
from payouts.models import Payout
from payouts.selectors import visible_payout
from payouts.services.plan import PURPOSE
from payouts.services.transition import apply_trigger, locked_payout, wake_worker
from payouts.states import PAYOUT_MACHINE

OUTCOME_UNKNOWN = "outcome_unknown"


@transaction.atomic
def replay_payout(principal: Principal, payout_id: UUID) -> Payout:
    """Queue a failed payout anew, with all its attempts before it. A new transfer is made only if the old one is over.

    Raises: NotFound; PayoutNotReplayable unless it failed, or while something sent for it could still land;
    IntentNotSettled when what it would pay out is gone.
    Locks: the payout. Why not its intent's row too: to send, the intent's status is read anew.
    Source: specification, Payout status; contract, Payout state machine.
    """
    visible_payout(principal, payout_id)
    payout = locked_payout(payout_id)
    if not PAYOUT_MACHINE.allows(payout.status, "replay"):
        raise PayoutNotReplayable(payout.status)
    if any(may_still_land(transfer) for transfer in Transfer.objects.filter(purpose=PURPOSE, purpose_id=payout.pk)):
        raise PayoutNotReplayable(payout.status, OUTCOME_UNKNOWN)
    if payout.intent is not None and payout.intent.status != IntentStatus.SETTLED:
        raise IntentNotSettled(payout.intent.status)
    apply_trigger(
        payout,
        "replay",
        actor=principal.actor,
        attempts_before=payout.attempts,
        released_by=principal.actor,
        failure_reason="",
        tx_hash="",
        retry_at=None,
        next_attempt_at=now(),
    )
    wake_worker()
    return payout
