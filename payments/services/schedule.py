"""When an intent must be looked at next. The answer follows from its rows alone, so any writer may ask."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.clock import now
from core.compiled import compiled_once
from core.dispatch import nudge
from core.modes import Mode
from payments.models import Credit, Leg, MarkedTransaction, PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.marks import heights
from payments.services.queue import look_at
from payments.services.standing import Standing, awaited, guarded, not_left_to_readers, standings
from payments.services.underway import awaits_next_leg, open_attempts
from payments.services.unsaid import paused_until
from payments.states import (
    FLYING_LEG,
    INTENT_MACHINE,
    AttemptStatus,
    LegStatus,
)

_SWEEP = "payments.sweep_due"
FLYING_POLL = timedelta(milliseconds=500)
UNSEEN_POLL = timedelta(seconds=2)
LIVE_FLYING_POLL = timedelta(seconds=2)
LIVE_UNSEEN_POLL = timedelta(seconds=6)
LIVE_LATE_POLL = timedelta(minutes=5)
"""Why slower on real chains: blocks take about that long, and nodes count questions."""
LOOK_AGAIN, MOST_LOOKS = timedelta(seconds=15), 5
"""When a wallet is looked into again of which a chain did not tell, and how often in all."""
LATE_POLL = timedelta(seconds=30)
LATE_RUSH = timedelta(minutes=10)
"""How long after its end an intent is still looked at often: late money is mostly a little late."""
WITHDRAWN = "route_withdrawn"
"""The error of a leg that nobody was asked to sign, since its route was gone when its turn came."""
LIVE_FINALITY_POLL, FINALITY_WAIT = timedelta(seconds=10), timedelta(minutes=2)
"""How often what waits for a safe or final block is looked at, and after how long it is taken to wait for that."""
LIVE_GUARD_POLL, LIVE_ALARM_POLL = timedelta(seconds=30), timedelta(minutes=30)
"""How often money that counts is looked at until its chain calls it final, and how often afterwards."""
LIVE_READ_GUARD_POLL = timedelta(minutes=5)
"""How often where a reader found it. Why so seldom: it tells when the block is final, or stands no more."""
LATE_WATCH = timedelta(hours=24)
"""How long an intent that ended without the money is still watched for it."""
HINT_LIFETIME = timedelta(minutes=10)
"""How long a reported hash is looked for. Source: docs/adr/0008."""
HINT_GRACE = timedelta(seconds=60)
"""How long a reported but unseen hash holds back expiry. Why bounded: anyone can report random hashes, again and
again."""


def schedule_next_look(intent: PaymentIntent) -> datetime | None:
    """Write down when a worker looks at it next, and say it. Locks: the caller holds the intent's lock."""
    return write_next_look(intent, open_attempts(intent), standings(intent))


def write_next_look(intent: PaymentIntent, attempts: list[PaymentAttempt], legs: Sequence[Standing]) -> datetime | None:
    """The same, for a caller that has just read its open attempts and how its legs stand. Locks: as above."""
    due_at = next_look(intent, attempts, legs)
    look_at(intent, due_at)
    return due_at


def look_soon(intent: PaymentIntent) -> None:
    """Write down when it is looked at next, and wake a worker: a payer is waiting. Locks: as ``schedule_next_look``."""
    schedule_next_look(intent)
    wake_worker()


def wake_worker() -> None:
    """Have what is due looked at once this commits, rather than with the next beat."""
    nudge(_SWEEP)


def next_look(intent: PaymentIntent, attempts: Iterable[PaymentAttempt], legs: Sequence[Standing]) -> datetime | None:
    """The earliest moment at which something can be due; None when nothing ever can be."""
    moment = now()
    awaited_legs = awaited(legs)
    watched_legs = not_left_to_readers(awaited_legs, heights(intent) if awaited_legs else {})
    if any(one.has_news and paused_until(one.leg) is None for one in watched_legs):
        return moment
    guard = _guard_look(intent, legs, moment)
    if intent.status in INTENT_MACHINE.terminal:
        late = _late_look(intent, watched_legs, moment)
        return min((one for one in (late, guard) if one is not None), default=None)
    due = [] if guard is None else [guard]
    handed_out = [one.leg for one in awaited_legs]
    due += [ends_at(intent, handed_out)] if INTENT_MACHINE.allows(intent.status, "expire") else []
    for attempt in attempts:
        waits = awaits_next_leg(attempt, (one.leg for one in legs))
        due.extend([moment] if waits else _attempt_due(attempt, handed_out, moment))
    due += [_wallet_due(wallet, moment) for wallet in unread_wallets(intent)[:1]]
    asked = [one.leg for one in watched_legs if paused_until(one.leg) is None]
    due += [until for one in watched_legs if (until := paused_until(one.leg)) is not None]
    if asked:
        due.append(moment + _poll(intent, asked))
    return min(due, default=None)


def unread_wallets(intent: PaymentIntent) -> list[PayerWallet]:
    """Wallets to be looked into, now or later, new ones first, then those that a chain did not tell of.

    Why a few times only: a chain that stays silent is silent for every wallet.
    """
    return sorted(
        _unread_wallets(intent.pk),
        key=lambda wallet: (wallet.tokens is not None, wallet.looked_at or wallet.connected_at),
    )


@compiled_once
def _unread_wallets(intent_id: UUID) -> QuerySet[PayerWallet]:
    silent = Q(looks__lt=MOST_LOOKS) & ~Q(unread=[])
    return PayerWallet.objects.filter(Q(tokens__isnull=True) | silent, intent_id=intent_id)


def _wallet_due(wallet: PayerWallet, moment: datetime) -> datetime:
    return moment if wallet.tokens is None or wallet.looked_at is None else wallet.looked_at + LOOK_AGAIN


def is_due(wallet: PayerWallet) -> bool:
    """Whether it is looked into now."""
    return _wallet_due(wallet, now()) <= now()


def _poll(intent: PaymentIntent, legs: Iterable[Leg]) -> timedelta:
    flying, unseen = (LIVE_FLYING_POLL, LIVE_UNSEEN_POLL) if intent.mode == Mode.LIVE else (FLYING_POLL, UNSEEN_POLL)
    moving = [leg for leg in legs if leg.status in FLYING_LEG or leg.tx_hash]
    # In a block, for longer than small payments take: what is left to wait for is finality.
    long_ago = now() - FINALITY_WAIT
    if (intent.mode == Mode.LIVE and moving) and all(
        leg.status == LegStatus.CONFIRMING and leg.submitted_at is not None and leg.submitted_at < long_ago
        for leg in moving
    ):
        return LIVE_FINALITY_POLL
    return flying if moving else unseen


def ends_at(intent: PaymentIntent, legs: Iterable[Leg]) -> datetime:
    """When the intent expires if nothing is found on chain: a little later for a hash reported at the end."""
    return _held_back(intent.expires_due_at, legs, HINT_GRACE)


def lapses_at(attempt: PaymentAttempt, legs: Iterable[Leg]) -> datetime | None:
    """When the attempt ends because its payer did nothing; None while there is nothing the payer must do."""
    if attempt.status == AttemptStatus.QUOTED:
        return attempt.lapses_at
    if attempt.status == AttemptStatus.AWAITING_SIGNATURE and attempt.signature_due_at is not None:
        own = [leg for leg in legs if leg.attempt_id == attempt.pk]
        return _held_back(attempt.signature_due_at, own, HINT_LIFETIME)
    return None


def _held_back(moment: datetime, legs: Iterable[Leg], grace: timedelta) -> datetime:
    """The moment, later by up to one grace if a wallet said that it sent something."""
    hints = [leg.submitted_at for leg in legs if leg.status == LegStatus.AWAITING_SIGNATURE and leg.submitted_at]
    latest = max(hints, default=moment - grace)
    return min(max(moment, latest + grace), moment + grace)


def _attempt_due(attempt: PaymentAttempt, legs: Iterable[Leg], moment: datetime) -> list[datetime]:
    if attempt.status in (AttemptStatus.QUOTING, AttemptStatus.PREPARING) or attempt.refresh_wanted:
        return [moment]
    lapses = lapses_at(attempt, legs)
    if lapses is None:
        return []
    return [moment] if attempt.simulated_payer else [lapses]


def _guard_look(intent: PaymentIntent, legs: Sequence[Standing], moment: datetime) -> datetime | None:
    if not guarded(intent, legs):
        return None
    have_mark = _counting_have_mark(intent.pk)
    if not have_mark:
        return moment + LIVE_ALARM_POLL
    return moment + (LIVE_READ_GUARD_POLL if all(have_mark) else LIVE_GUARD_POLL)


@compiled_once
def _counting_have_mark(intent_id: UUID) -> QuerySet[Credit, bool]:
    """Of each credit that counts and is not final: whether a reader found it, and sees it stand."""
    counting = Credit.objects.filter(intent_id=intent_id, final_at__isnull=False, reversed_at=None, finalized_at=None)
    own = MarkedTransaction.objects.filter(leg=OuterRef("leg"), tx_hash=OuterRef("tx_hash"))
    has_mark = Exists(own.filter(final_at=None, gone_at=None))
    return counting.annotate(has_mark=has_mark).values_list("has_mark", flat=True)


def _late_look(intent: PaymentIntent, legs: Sequence[Standing], moment: datetime) -> datetime | None:
    is_over = moment > intent.expires_due_at + LATE_WATCH
    # Nothing is sent back or paid out before its chain calls it final.
    not_final = intent.credits.filter(finalized_at=None, reversed_at=None, vanished_at=None)
    if not legs or (is_over and not not_final.exists()):
        return None
    just_ended = moment < intent.expires_due_at + LATE_RUSH
    if intent.mode == Mode.LIVE:
        return moment + (LIVE_UNSEEN_POLL if just_ended else LIVE_LATE_POLL)
    return moment + (UNSEEN_POLL if just_ended else LATE_POLL)
