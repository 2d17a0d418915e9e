"""Doing what is due for intents: each taken as far as it will go, and the rest left to the clock."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.conf import settings

from chains.clients.allowance import BudgetSpent, asking_for
from chains.clients.base import ChainClient
from chains.clients.registry import client_for
from chains.errors import ChainUnavailable
from core.clock import now
from core.leases import take_due, time_limit
from core.sweeps import Claim, Sweep
from core.traces import traces
from payments.models import CLAIMED_FOR, Leg, PayerWallet, PaymentAttempt, PaymentIntent, QueuedIntent
from payments.services.authorization_sending import is_authorized, send_authorization, send_on
from payments.services.broadcast import broadcast_signed
from payments.services.budgets import IntentPurse
from payments.services.elsewhere import tell_losses
from payments.services.expire import end_what_is_over, expire_untouched
from payments.services.follow import record_sightings
from payments.services.look import look_into_wallet
from payments.services.marks import heights
from payments.services.prepare import issue_transactions
from payments.services.queue import DUE, LISTED, leave_alone_until
from payments.services.quote import make_quote
from payments.services.schedule import is_due, unread_wallets
from payments.services.simulated_payer import act_as_payer
from payments.services.standing import Standing, guarded, standings, watched
from payments.services.underway import awaits_next_leg, open_attempts
from payments.services.watch import look_at_legs
from payments.states import OPEN_ATTEMPT, AttemptStatus

logger = logging.getLogger("causeway.payments")

BATCH = 50
OF_THOSE_OVER = 10
"""So many of a batch beside, of intents that have ended: they are only guarded, or watched for late money."""
BEFORE_EACH = BATCH // OF_THOSE_OVER
"""So many of those that payers wait for go before one that has ended."""
SWEEP_SECONDS = 5
"""Why an end: where money is always moving something is always due, and deliveries need the same workers."""
MOST_STEPS = 12
"""Of one intent in one go; more is a fault of ours, and the rest waits for the next sweep."""
WALLETS_A_STEP = 4
TRIES_A_STEP = 4
"""Of one intent at once. Why so few: strangers may begin tries beside the payer's, and the lease is short."""
CHAIN_PAUSE = timedelta(seconds=3)
"""How long what needs a silent chain waits."""


def sweep_due(seconds: int = SWEEP_SECONDS) -> int:
    """Advance what is due, batch by batch, for about so many seconds; returns how many intents."""
    is_over = time_limit(seconds)
    done = expire_untouched(is_over)
    done += SWEEP.run(is_over, hands=settings.SWEEP_THREADS)
    tell_losses()
    return done


def _take(until: datetime) -> list[UUID]:
    """What payers wait for, and one that is over after each few of these.

    Why apart: chains call many blocks final at once, and a new payment must not wait behind all that is in them.
    Why not behind them all: a worker with too much to do would give back what is over each time, and never look at it.
    """
    waited_for, over = (QueuedIntent.objects.filter(is_over=is_over) for is_over in (False, True))
    first = take_due(waited_for, most=BATCH, until=until, column=DUE, listed=LISTED)
    guarded = take_due(over, most=OF_THOSE_OVER, until=until, column=DUE, listed=LISTED)
    for number, key in enumerate(guarded, start=1):
        first.insert(number * (BEFORE_EACH + 1) - 1, key)
    return first


def _take_steps(claim: Claim[UUID]) -> None:
    purse = IntentPurse()
    for number in range(1, MOST_STEPS + 1):
        with traces.span("payment step", claim.key, number=number):
            is_more = advance_intent(claim.key, purse)
        if not is_more:
            return


SWEEP = Sweep[UUID](
    model=QueuedIntent,
    take=_take,
    advance=_take_steps,
    lease=CLAIMED_FOR,
    column=DUE,
    listed=LISTED,
)


def advance_intent(intent_id: UUID, purse: IntentPurse | None = None, client: ChainClient | None = None) -> bool:
    """Take one step for an intent; says whether another is due at once.

    Each step looks outside with no transaction open, then writes under the intent's lock what still holds.
    Where no node of a chain can be asked, the step is left for later; where it took long, for longer.
    ``purse`` pays for what is asked, of this step and of those before it in the same sweep. ``client``: who is asked
    about chains, where that is not the one of the intent's mode.
    """
    intent = PaymentIntent.objects.get(pk=intent_id)
    purse = purse or IntentPurse()
    purse.pay_for(intent)
    with asking_for(purse):
        step = _take_step(intent, client or client_for(intent.mode))
    next_look = step.next_look if step.is_ended else end_what_is_over(intent_id)
    pause = max((one for one in (step.pause, purse.pause) if one is not None), default=None)
    if pause is None:
        return next_look is not None and next_look <= now()
    leave_alone_until(intent_id, now() + pause)
    return False


@dataclass(kw_only=True, slots=True)
class _Step:
    """How a step went. ``pause``: how long the intent is left alone where a chain did not let us.

    ``is_ended``: what ends a step was written down with what was seen; ``next_look`` is what that says.
    """

    pause: timedelta | None = None
    is_ended: bool = False
    next_look: datetime | None = None


def _take_step(intent: PaymentIntent, client: ChainClient) -> _Step:
    """What is due, as far as the chains let us.

    Why each part is tried although another failed: of several payers' tries one must not hold up the others.
    """
    step, stands = _Step(), standings(intent)
    legs = [one.leg for one in stands]
    unread = [wallet for wallet in unread_wallets(intent) if is_due(wallet)][:WALLETS_A_STEP]
    parts: list[Callable[[], object]] = [partial(_look_into_wallet, intent, wallet) for wallet in unread]
    parts += [partial(_advance_attempt, intent.pk, attempt, legs, client) for attempt in _tries_in_turn(intent, legs)]
    parts = [partial(_look_at_chains, intent, stands, step, client, is_last=not parts), *parts]
    faults: list[Exception] = []
    for part in parts:
        try:
            part()
        except BudgetSpent as spent:
            logger.warning("questions_spent: intent %s of merchant %s", intent.pk, intent.merchant_id)
            step.pause = max(CHAIN_PAUSE, timedelta(seconds=spent.wait_seconds))
            return step
        except ChainUnavailable as error:
            logger.warning("intent %s waits for %s: %s", intent.pk, error.chain_name, error.reason)
            step.pause = CHAIN_PAUSE
        except Exception as error:
            faults.append(error)
    if faults:
        raise faults[0]
    return step


def _look_into_wallet(intent: PaymentIntent, wallet: PayerWallet) -> None:
    with traces.span("payment look", intent.pk):
        look_into_wallet(intent, wallet)


def _look_at_chains(
    intent: PaymentIntent, stands: Sequence[Standing], step: _Step, client: ChainClient, *, is_last: bool
) -> None:
    """Why the last part ends the step itself: one transaction costs half of two."""
    broadcast_signed(intent, [one.leg for one in stands])
    send_on(intent, [one.leg for one in stands])
    read = heights(intent)
    asked = watched(stands, read)
    if looked_at := list({leg.pk: leg for leg in [*asked, *guarded(intent, stands)]}.values()):
        with traces.span("payment observe", intent.pk, number=len(looked_at), chain=looked_at[0].to_chain):
            views = look_at_legs(intent, looked_at, client, read)
        with traces.span("payment confirm", intent.pk, number=len(views)):
            step.next_look = record_sightings(intent.pk, views, [leg.pk for leg in asked], is_last=is_last)
        step.is_ended = is_last


def _tries_in_turn(intent: PaymentIntent, legs: Sequence[Leg]) -> list[PaymentAttempt]:
    """The attempts that wait for us, those that have come furthest first."""
    waiting = [
        attempt
        for attempt in open_attempts(intent)
        if attempt.status in (AttemptStatus.QUOTING, AttemptStatus.PREPARING)
        or attempt.refresh_wanted
        or attempt.simulated_payer
        or awaits_next_leg(attempt, legs)
    ]
    return sorted(waiting, key=lambda attempt: -OPEN_ATTEMPT.index(AttemptStatus(attempt.status)))[:TRIES_A_STEP]


def _advance_attempt(intent_id: UUID, attempt: PaymentAttempt, legs: Sequence[Leg], client: ChainClient) -> None:
    if attempt.status == AttemptStatus.QUOTING or attempt.refresh_wanted:
        with traces.span("payment plan", intent_id):
            make_quote(intent_id, attempt.pk)
    elif attempt.status == AttemptStatus.PREPARING and is_authorized(attempt, legs):
        with traces.span("payment prepare", intent_id, chain=attempt.chain):
            send_authorization(intent_id, attempt.pk)
    elif attempt.status == AttemptStatus.PREPARING or awaits_next_leg(attempt, legs):
        with traces.span("payment prepare", intent_id, chain=attempt.chain):
            issue_transactions(intent_id, attempt.pk, client)
    elif attempt.simulated_payer:
        with traces.span("payment pay", intent_id):
            act_as_payer(intent_id, attempt.pk)
