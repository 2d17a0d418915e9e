"""Having a failed payout sent again."""

from uuid import UUID

from django.db import transaction

from chains.models import Transfer
from chains.transfers import RailName, may_still_land
from core.clock import now
from merchants.principal import Principal
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payments.services.balance import NOTHING, Sum, balance
from payments.states import IntentStatus
from payouts.errors import PayoutNotReplayable
from payouts.models import Payout
from payouts.selectors import visible_payout
from payouts.services.plan import PURPOSE
from payouts.services.transition import apply_trigger, locked_payout, wake_worker
from payouts.states import BALANCE_CHANGED, OVER, PAYOUT_MACHINE

OUTCOME_UNKNOWN = "outcome_unknown"


@transaction.atomic
def replay_payout(principal: Principal, payout_id: UUID) -> Payout:
    """Queue a failed payout anew, with all its attempts before it. A new transfer is made only if the old one is over.

    Raises: NotFound; PayoutNotReplayable unless it failed, or while something sent for it could still land;
    IntentNotSettled when what it would pay out is gone, or a part of it was given back or paid out otherwise.
    What its agent may not send any more is released, for good, where a person replays it; by a key it is held again.
    Locks: the intent, so that nothing else takes what it held, then the payout.
    Source: specification, Payout status; docs/guides/payouts.md, Replay.
    """
    seen = visible_payout(principal, payout_id)
    # Why this lock: whoever holds a payout and writes it twice asks for its intent's key, which this one lets it.
    lockable = PaymentIntent.objects.select_for_update(no_key=True)
    intent = None if seen.intent_id is None else lockable.get(pk=seen.intent_id)
    payout = locked_payout(payout_id)
    if not PAYOUT_MACHINE.allows(payout.status, "replay"):
        raise PayoutNotReplayable(payout.status)
    if any(may_still_land(transfer) for transfer in Transfer.objects.filter(purpose=PURPOSE, purpose_id=payout.pk)):
        raise PayoutNotReplayable(payout.status, OUTCOME_UNKNOWN)
    if intent is not None and intent.status != IntentStatus.SETTLED:
        raise IntentNotSettled(intent.status)
    if intent is not None and not Sum(usd=payout.amount_usd, units=payout.base_units).is_within(_left(intent, payout)):
        raise PayoutNotReplayable(payout.status, BALANCE_CHANGED)
    apply_trigger(
        payout,
        "replay",
        actor=principal.actor,
        attempts_before=payout.attempts,
        released_by=principal.actor if principal.is_person else payout.released_by,
        destination_released_by="",
        failure_reason="",
        tx_hash="",
        retry_at=None,
        next_attempt_at=now(),
    )
    wake_worker()
    return payout


def _left(intent: PaymentIntent, payout: Payout) -> Sum:
    """What the intent still holds for this payout. Why nothing is held while another one is open: one at a time."""
    if payout.rail == RailName.DIRECT:
        return balance(intent).received
    open_ones = Payout.objects.filter(intent=intent).exclude(status__in=OVER)
    return NOTHING if open_ones.exists() else balance(intent).available
