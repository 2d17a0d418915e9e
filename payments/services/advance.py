"""Doing what is due for intents: claim rows by lease, take each as far as it will go, leave the rest to the clock."""

import logging
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from chains.clients.registry import client_for
from chains.errors import ChainUnavailable
from core.clock import now
from core.leases import take_due, time_limit, work_through
from payments.models import PaymentIntent
from payments.services.broadcast import broadcast_signed
from payments.services.expire import end_what_is_over
from payments.services.follow import record_sightings
from payments.services.look import look_into_wallet
from payments.services.prepare import issue_transactions
from payments.services.quote import make_quote
from payments.services.schedule import awaits_next_leg, guarded_legs, open_attempt, watched_legs
from payments.services.simulated_payer import act_as_payer
from payments.services.watch import look_at_legs
from payments.states import AttemptStatus

logger = logging.getLogger("causeway.payments")

LEASE = timedelta(seconds=30)
BATCH = 50
SWEEP_SECONDS = 5
"""Why an end: where money is always moving something is always due, and deliveries need the same workers."""
MOST_STEPS = 12
"""Of one intent in one go; more is a fault of ours, and the rest waits for the next sweep."""
CHAIN_PAUSE = timedelta(seconds=3)
"""How long what needs a silent chain waits."""


def sweep_due(seconds: int = SWEEP_SECONDS) -> int:
    """Advance what is due, batch by batch, for about so many seconds; returns how many intents."""
    return work_through(claim_due, _advance_safely, _give_back, time_limit(seconds))


@transaction.atomic
def claim_due() -> list[UUID]:
    """Take a batch of due intents for as long as the lease runs."""
    return take_due(PaymentIntent.objects.all(), most=BATCH, until=now() + LEASE)


def _give_back(unseen: list[UUID]) -> None:
    PaymentIntent.objects.filter(pk__in=unseen).update(next_attempt_at=now())


def take_over_leases() -> None:
    """Make due now what another worker may have claimed. Only for one that knows itself to be alone."""
    claimed = PaymentIntent.objects.filter(next_attempt_at__gt=now(), next_attempt_at__lte=now() + LEASE)
    claimed.update(next_attempt_at=now())


def _advance_safely(intent_id: UUID) -> None:
    """One intent's failure must not hold up the others; its lease brings it back."""
    try:
        for _ in range(MOST_STEPS):
            if not advance_intent(intent_id):
                return
    except Exception:
        logger.exception("could not advance intent %s", intent_id)


def advance_intent(intent_id: UUID) -> bool:
    """Take one step for an intent; says whether another is due at once.

    Each step looks outside with no transaction open, then writes under the intent's lock what still holds.
    Where no node of a chain can be asked, the step is left for later.
    """
    is_reachable = _take_step(intent_id)
    end_what_is_over(intent_id)
    waiting = PaymentIntent.objects.filter(pk=intent_id, next_attempt_at__lte=now())
    if is_reachable:
        return waiting.exists()
    waiting.update(next_attempt_at=now() + CHAIN_PAUSE)
    return False


def _take_step(intent_id: UUID) -> bool:
    """What is due, as far as the chains let us; says whether they did."""
    try:
        _look_and_prepare(intent_id)
    except ChainUnavailable as error:
        logger.warning("intent %s waits: no node of %s can be asked", intent_id, error.chain_name)
        return False
    return True


def _look_and_prepare(intent_id: UUID) -> None:
    intent = PaymentIntent.objects.select_related("payer_wallet").get(pk=intent_id)
    attempt = open_attempt(intent)
    status = None if attempt is None else attempt.status
    wallet = getattr(intent, "payer_wallet", None)
    broadcast_signed(intent)
    if watched_legs(intent) or guarded_legs(intent):
        record_sightings(intent_id, look_at_legs(intent, client_for(intent.mode)))
    if wallet is not None and wallet.tokens is None:
        look_into_wallet(intent, wallet)
    if attempt is not None and (status == AttemptStatus.QUOTING or attempt.refresh_wanted):
        make_quote(intent_id, attempt.pk)
    elif attempt is not None and (status == AttemptStatus.PREPARING or awaits_next_leg(attempt)):
        issue_transactions(intent_id, attempt.pk)
    elif attempt is not None and attempt.simulated_payer:
        act_as_payer(intent_id, attempt.pk)
