"""When an intent must be looked at next. The answer follows from its rows alone, so any writer may ask."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from chains.registry import Family, chain
from core.clock import now
from core.dispatch import nudge
from core.modes import Mode
from payments.models import Credit, Leg, MarkedTransaction, PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.marks import NEWS, heights, legs_with_news
from payments.services.unsaid import paused_until
from payments.states import (
    FLYING_LEG,
    INTENT_MACHINE,
    OPEN_ATTEMPT,
    REVERTED,
    UNSENT_LEG,
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
NEWEST_WATCHED = 12
"""So many legs that nothing was seen of are looked at each time: those told of last."""
OLDER_EVERY, OLDER_A_LOOK = timedelta(minutes=3), 12
"""How often the others are looked at, and how many of them at once."""
LOOK_AGAIN, MOST_LOOKS = timedelta(seconds=15), 5
"""When a wallet is looked into again of which a chain did not tell, and how often in all."""
LATE_POLL = timedelta(seconds=30)
LATE_RUSH = timedelta(minutes=10)
"""How long after its end an intent is still looked at often: late money is mostly a little late."""
REPLACED = "replaced"
"""The error of a leg whose transaction lost its place to another one; its owner may still sign it anew."""
UNFILLED = "unfilled"
"""The error of a leg whose bridge can deliver no more; it owes the payer the money on the source chain."""
OVER = (REVERTED, UNFILLED)
"""Errors of legs whose transaction can bring nothing any more."""
WITHDRAWN = "route_withdrawn"
"""The error of a leg that nobody was asked to sign, since its route was gone when its turn came."""
LIVE_FINALITY_POLL, FINALITY_WAIT = timedelta(seconds=10), timedelta(minutes=2)
"""How often what waits for a safe or final block is looked at, and after how long it is taken to wait for that."""
LIVE_GUARD_POLL, LIVE_ALARM_POLL = timedelta(seconds=30), timedelta(minutes=30)
"""How often money that counts is looked at until its chain calls it final, and how often afterwards."""
LIVE_READ_GUARD_POLL = timedelta(minutes=5)
"""How often where a reader found it. Why so seldom: it tells when the block is final, or stands no more."""
ALARM_WATCH = timedelta(hours=1)
"""How long money is still looked at after it was final. Why at all: a chain that takes it back needs a person."""
LATE_WATCH = timedelta(hours=24)
"""How long an intent that ended without the money is still watched for it."""
HINT_LIFETIME = timedelta(minutes=10)
"""How long a reported hash is looked for. Source: rulings, A reported hash is a hint."""
HINT_GRACE = timedelta(seconds=60)
"""How long a reported but unseen hash holds back expiry. Why bounded: anyone can report random hashes, again and
again."""


def open_attempts(intent: PaymentIntent) -> list[PaymentAttempt]:
    """Every attempt that is not over, at most one of each browser, the oldest first."""
    return list(intent.payment_attempts.filter(status__in=OPEN_ATTEMPT).order_by("number"))


def watched_legs(intent: PaymentIntent) -> list[Leg]:
    """Which of the awaited legs are looked at now: what moves and the newest always, a few of the older ones in turn.

    The most urgent first. Why not all: whoever has the link may begin tries, and each question takes from what
    others get.
    """
    awaited = sorted(not_left_to_readers(intent, awaited_legs(intent)), key=_told_at, reverse=True)
    moving = [leg for leg in awaited if leg.status in FLYING_LEG]
    resting = [leg for leg in awaited if leg.status not in FLYING_LEG]
    waiting = [leg for leg in resting[NEWEST_WATCHED:] if _looked_at(leg) <= now() - OLDER_EVERY]
    older = sorted(waiting, key=_looked_at)[:OLDER_A_LOOK]
    return [*moving, *resting[:NEWEST_WATCHED], *older]


def _told_at(leg: Leg) -> datetime:
    """When anybody last said something of it: it was made, or a wallet named its transaction."""
    return leg.submitted_at or leg.created_at


def _looked_at(leg: Leg) -> datetime:
    return leg.looked_at or leg.created_at


def awaited_legs(intent: PaymentIntent) -> list[Leg]:
    """Legs whose transaction a payer has been given and whose money may still arrive.

    Why failed ones too: a wallet may send what its owner declined here; only a reverted transaction is over, and a
    bridge's order that nobody can fill any more; and neither is while something under its mark is not final. Why
    confirmed ones again: what was sent twice arrives twice, and no status ends a mark.
    """
    given = intent.legs.exclude(issued={})
    is_over = Q(status=LegStatus.FAILED, error__in=OVER)
    is_done = Q(status__in=[LegStatus.CONFIRMED, LegStatus.REFUNDED])
    uncounted = intent.credits.filter(final_at=None, reversed_at=None)
    goes_on = Q(pk__in=uncounted.values("leg_id")) | Q(pk__in=intent.marked.filter(NEWS).values("leg_id"))
    lasts = is_over & Q(pk__in=_not_final(intent).values("leg_id"))
    return list(given.filter(~(is_over | is_done) | lasts | goes_on).order_by("sequence"))


def not_left_to_readers(intent: PaymentIntent, legs: list[Leg]) -> list[Leg]:
    """Those that must be looked at. Of the rest nothing is known, and what comes of them their chains' readers find.

    Why also where dust waits to count: it changes nothing, and is told all the same.
    """
    read = heights(intent) if any(map(_is_quiet, legs)) else {}
    if not read:
        return legs
    uncounted = intent.credits.filter(final_at=None, reversed_at=None)
    moving = legs_with_news(intent) | set(uncounted.values_list("leg_id", flat=True))
    return [leg for leg in legs if leg.pk in moving or not _is_left_to_readers(leg, read)]


def _is_left_to_readers(leg: Leg, read: Mapping[str, int]) -> bool:
    return _is_quiet(leg) and bool(leg.mark) and leg.chain in read and leg.to_chain in read


def _is_quiet(leg: Leg) -> bool:
    """Whether nobody said or saw anything of it."""
    return leg.status in UNSENT_LEG and not leg.tx_hash and not leg.unsaid


def guarded_legs(intent: PaymentIntent) -> list[Leg]:
    """Legs whose money counts, dust of one that is unpaid too, looked at until it is final and for a while after.

    Why not on Solana: there nothing counts before it is final. Why not in test mode: there nothing is taken back later.
    """
    known = chain(intent.settlement_chain)
    if intent.mode != Mode.LIVE or known is None or known.family is not Family.EVM:
        return []
    counting = intent.credits.filter(final_at__isnull=False, reversed_at=None, vanished_at=None)
    guarded = counting.filter(Q(finalized_at=None) | Q(finalized_at__gt=now() - ALARM_WATCH))
    resting = intent.legs.filter(status__in=[LegStatus.CONFIRMED, LegStatus.REFUNDED, *UNSENT_LEG])
    return list(resting.filter(pk__in=guarded.values("leg_id")).order_by("sequence"))


def _not_final(intent: PaymentIntent) -> QuerySet[Credit]:
    """What arrived and its chain does not call final yet. Nothing is sent back or paid out before that."""
    rows: QuerySet[Credit] = intent.credits.filter(finalized_at=None, reversed_at=None, vanished_at=None)
    return rows


def awaits_next_leg(attempt: PaymentAttempt) -> bool:
    """Whether a leg's turn has come: those before it brought their money, and nobody has been asked to sign it."""
    if attempt.status != AttemptStatus.EXECUTING:
        return False
    statuses = set(attempt.legs.values_list("status", flat=True))
    return LegStatus.PLANNED in statuses and statuses <= {LegStatus.PLANNED, LegStatus.CONFIRMED}


def schedule_next_look(intent: PaymentIntent) -> None:
    """Write ``next_attempt_at``. Locks: the caller holds the intent's lock."""
    write_next_look(intent, open_attempts(intent), awaited_legs(intent))


def write_next_look(intent: PaymentIntent, attempts: list[PaymentAttempt], legs: list[Leg]) -> None:
    """The same, for a caller that has just read its open attempts and awaited legs. Locks: as above."""
    intent.next_attempt_at = next_look(intent, attempts, legs)
    intent.save(update_fields=["next_attempt_at"])


def look_soon(intent: PaymentIntent) -> None:
    """Write ``next_attempt_at`` and wake a worker: a payer is waiting. Locks: as ``schedule_next_look``."""
    schedule_next_look(intent)
    wake_worker()


def wake_worker() -> None:
    """Have what is due looked at once this commits, rather than with the next beat."""
    nudge(_SWEEP)


def next_look(intent: PaymentIntent, attempts: Iterable[PaymentAttempt], legs: list[Leg]) -> datetime | None:
    """The earliest moment at which something can be due; None when nothing ever can be."""
    moment = now()
    watched = not_left_to_readers(intent, legs)
    with_news = legs_with_news(intent) if watched else ()
    if any(leg.pk in with_news and paused_until(leg) is None for leg in watched):
        return moment
    guard = _guard_look(intent, moment)
    if intent.status in INTENT_MACHINE.terminal:
        late = _late_look(intent, watched, moment)
        return min((one for one in (late, guard) if one is not None), default=None)
    due = [] if guard is None else [guard]
    due += [ends_at(intent, legs)] if INTENT_MACHINE.allows(intent.status, "expire") else []
    for attempt in attempts:
        due.extend(_attempt_due(attempt, legs, moment))
    due += [_wallet_due(wallet, moment) for wallet in unread_wallets(intent)[:1]]
    asked = [leg for leg in watched if paused_until(leg) is None]
    due += [until for leg in watched if (until := paused_until(leg)) is not None]
    if asked:
        due.append(moment + _poll(intent, asked))
    return min(due, default=None)


def unread_wallets(intent: PaymentIntent) -> list[PayerWallet]:
    """Wallets to be looked into, now or later, new ones first, then those that a chain did not tell of.

    Why a few times only: a chain that stays silent is silent for every wallet.
    """
    silent = Q(looks__lt=MOST_LOOKS) & ~Q(unread=[])
    waiting = intent.payer_wallets.filter(Q(tokens__isnull=True) | silent)
    return sorted(waiting, key=lambda wallet: (wallet.tokens is not None, wallet.looked_at or wallet.connected_at))


def _wallet_due(wallet: PayerWallet, moment: datetime) -> datetime:
    return moment if wallet.tokens is None or wallet.looked_at is None else wallet.looked_at + LOOK_AGAIN


def is_due(wallet: PayerWallet) -> bool:
    """Whether it is looked into now."""
    return _wallet_due(wallet, now()) <= now()


def _poll(intent: PaymentIntent, legs: Iterable[Leg]) -> timedelta:
    flying, unseen = (LIVE_FLYING_POLL, LIVE_UNSEEN_POLL) if intent.mode == Mode.LIVE else (FLYING_POLL, UNSEEN_POLL)
    moving = [leg for leg in legs if leg.status in FLYING_LEG or leg.tx_hash]
    if intent.mode == Mode.LIVE and moving and all(_waits_for_finality(leg) for leg in moving):
        return LIVE_FINALITY_POLL
    return flying if moving else unseen


def _waits_for_finality(leg: Leg) -> bool:
    """Whether it stands in a block and has been for longer than small payments take."""
    since = leg.submitted_at
    return leg.status == LegStatus.CONFIRMING and since is not None and now() - since > FINALITY_WAIT


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
    is_our_turn = attempt.status in (AttemptStatus.QUOTING, AttemptStatus.PREPARING) or attempt.refresh_wanted
    if is_our_turn or awaits_next_leg(attempt):
        return [moment]
    lapses = lapses_at(attempt, legs)
    if lapses is None:
        return []
    return [moment] if attempt.simulated_payer else [lapses]


def _guard_look(intent: PaymentIntent, moment: datetime) -> datetime | None:
    if not guarded_legs(intent):
        return None
    waiting = intent.credits.filter(final_at__isnull=False, reversed_at=None, finalized_at=None)
    own = MarkedTransaction.objects.filter(leg=OuterRef("leg"), tx_hash=OuterRef("tx_hash"))
    is_told = list(waiting.annotate(is_told=Exists(own.filter(final_at=None, gone_at=None))).values_list("is_told"))
    if not is_told:
        return moment + LIVE_ALARM_POLL
    return moment + (LIVE_READ_GUARD_POLL if all(told for (told,) in is_told) else LIVE_GUARD_POLL)


def _late_look(intent: PaymentIntent, legs: list[Leg], moment: datetime) -> datetime | None:
    is_over = moment > intent.expires_due_at + LATE_WATCH
    if not legs or (is_over and not _not_final(intent).exists()):
        return None
    just_ended = moment < intent.expires_due_at + LATE_RUSH
    if intent.mode == Mode.LIVE:
        return moment + (LIVE_UNSEEN_POLL if just_ended else LIVE_LATE_POLL)
    return moment + (UNSEEN_POLL if just_ended else LATE_POLL)
