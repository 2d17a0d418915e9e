"""The four measurements of live mode: questions, settlements, expiries, and how soon a payment is settled.

Must be imported only when the environment is set, because it loads the service.
"""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import UUID

import django

django.setup()

from core.clock import now  # noqa: E402 - needs the set-up above
from localnet.devchain import DevChain  # noqa: E402 - needs the set-up above
from payments.models import Leg, PaymentIntent, QueuedIntent  # noqa: E402 - needs the set-up above
from payments.services.advance import sweep_due  # noqa: E402 - needs the set-up above
from payments.services.attempts import connect_wallet  # noqa: E402 - needs the set-up above
from payments.services.reading import sweep_chains  # noqa: E402 - needs the set-up above
from scripts.bench.live.open_payments import Till, copied  # noqa: E402 - needs the set-up above
from scripts.bench.live.questions import Cost, counted  # noqa: E402 - needs the set-up above
from scripts.bench.live.workers import money_workers  # noqa: E402 - needs the set-up above

A_MINUTE = 60
LONGEST_SECONDS = 300
BLOCKS_PAID = 4
DEEP = 8
"""Blocks after which a payment of this size counts on this chain, and a few more."""
BETWEEN_SECONDS = 0.73
"""From one payment to the next: no part of a second, so that they come at every moment between two rounds."""
WARM_UP = 6
LOOK_SECONDS, LOOK_SELDOM_SECONDS = 0.01, 0.1
PERCENT = 100

Lines = list[str]
Moments = dict[UUID, float]
"""When something of each intent was so, by this process's clock."""


def measure(  # noqa: PLR0913 - one for each of its measurements, all keyword-only
    node: DevChain,
    merchant_id: int,
    folder: Path,
    *,
    opened: int,
    watched_seconds: int,
    paid: int,
    ending: int,
    timed: int,
) -> tuple[dict[str, float], Lines]:
    """All of them, one after the other: the goals' figures, and lines for people."""
    till = Till(node=node, merchant_id=merchant_id)
    till.prepare()
    ended = expiries(till, ending)
    first = till.first()
    legs = till.copies(first, opened)
    watched = questions(watched_seconds)
    settled = settlements(till, legs[:paid])
    with money_workers(folder):
        settled_seconds = seconds_to_settle(till, till.copies(first, paid + WARM_UP))
        seconds = sorted(times_to_settled(till, till.copies(first, timed)))
    each = sum(watched.asked.values()) * A_MINUTE / watched_seconds / opened
    figures = {
        "live_questions": each,
        "live_settled": paid / settled_seconds,
        "live_expired": ending / ended.seconds,
        "live_p50_seconds": statistics.median(seconds),
        "live_p99_seconds": percentile(seconds, 99),
    }
    lines = [
        f"{opened:,} open payments, {watched_seconds} s: {each:.3f} questions a payment and minute",
        f"    {told(watched)}",
        f"{paid:,} of them paid: {paid / settled_seconds:.1f} settled a second by a worker as deployed, "
        f"{paid / settled.seconds:.1f} in one process; {settled.each(paid)}",
        f"    {told(settled)}",
        f"{ending:,} that are over: {ending / ended.seconds:,.0f} expired a second; {ended.each(ending)}",
        f"{timed} payments one after the other: settled after {seconds[0]:.2f} to {seconds[-1]:.2f} s, "
        f"median {statistics.median(seconds):.2f}",
    ]
    return figures, lines


def told(cost: Cost) -> str:
    """What was asked, the most frequent first."""
    return ", ".join(f"{method} {count}" for method, count in cost.asked.most_common())


def questions(seconds: int) -> Cost:
    """What is done while nobody pays and workers come round each second, as the clock has them."""
    sweep_chains()
    with counted() as cost:
        for_seconds(seconds)
    return cost


def for_seconds(seconds: int) -> None:
    """Rounds of both kinds, one each second."""
    started = time.monotonic()
    for second in range(1, seconds + 1):
        sweep_chains()
        sweep_due()
        time.sleep(max(started + second - time.monotonic(), 0))


def settlements(till: Till, legs: Sequence[Leg]) -> Cost:
    """What one process does to settle payments that stand in few blocks, deep enough."""
    pay_deep(till, legs)
    with counted() as cost:
        work_until(lambda: count_settled(legs) == len(legs))
    return cost


def seconds_to_settle(till: Till, legs: Sequence[Leg]) -> float:
    """How long a deployment's worker takes for the same, once all are deep enough.

    Why a few payments before: by them it loads what speaks to nodes.
    """
    pay_deep(till, legs[:WARM_UP])
    await_settled(legs[:WARM_UP])
    pay_deep(till, legs[WARM_UP:])
    began = time.monotonic()
    await_settled(legs)
    return time.monotonic() - began


def pay_deep(till: Till, legs: Sequence[Leg]) -> None:
    """Pay in few blocks, and let so many pass that all of it counts."""
    size = math.ceil(len(legs) / BLOCKS_PAID)
    for start in range(0, len(legs), size):
        till.pay(legs[start : start + size])
    till.node.mine(DEEP)


def count_settled(legs: Sequence[Leg]) -> int:
    """Of how many of these legs the payment is settled."""
    return PaymentIntent.objects.filter(pk__in=[leg.intent_id for leg in legs], status="settled").count()


def await_settled(legs: Sequence[Leg]) -> None:
    """Wait until all are. Raises: TimeoutError."""
    ends_at = time.monotonic() + LONGEST_SECONDS
    while (settled := count_settled(legs)) < len(legs):
        if time.monotonic() > ends_at:
            raise TimeoutError(f"{settled} of {len(legs)} payments are settled")
        time.sleep(LOOK_SELDOM_SECONDS)


def expiries(till: Till, wanted: int) -> Cost:
    """What one worker does to end payments whose time is over: half were never opened, half had a visitor."""
    unseen, visited = till.new_intent(), till.new_intent()
    connect_wallet(visited.pk, "evm", till.payer.address)
    sweep_due()
    made = [*copied(unseen.pk, wanted // 2), *copied(visited.pk, wanted // 2)]
    intents = PaymentIntent.objects.filter(pk__in=[intent.pk for intent in made])
    intents.update(expires_at=now(), expires_due_at=now())
    QueuedIntent.objects.filter(intent__in=intents).update(due_at=now(), listed_at=now())
    with counted() as cost:
        work_until(lambda: not intents.exclude(status="expired").exists())
    return cost


def work_until(is_done: Callable[[], bool]) -> None:
    """Rounds of both kinds, one after the other. Raises: TimeoutError."""
    ends_at = time.monotonic() + LONGEST_SECONDS
    while not is_done():
        if time.monotonic() > ends_at:
            raise TimeoutError("the worker is not done")
        sweep_chains()
        sweep_due()


def times_to_settled(till: Till, legs: Sequence[Leg]) -> list[float]:
    """The seconds from a transfer in a block until its payment is settled, with real workers and a real clock.

    One block more is enough here, and comes at once: how long a chain takes for its blocks is not measured.
    """
    Leg.objects.filter(pk__in=[leg.pk for leg in legs]).update(confirmations_required=1)
    sent: Moments = {}
    seen: Moments = {}
    started = time.monotonic()
    for number, leg in enumerate(legs):
        look_until(started + number * BETWEEN_SECONDS, sent, seen)
        pay_alone(till, leg, sent)
    look_until(time.monotonic() + LONGEST_SECONDS, sent, seen, everything=True)
    return [seen[intent_id] - moment for intent_id, moment in sent.items()]


def pay_alone(till: Till, leg: Leg, sent: Moments) -> None:
    """Send one transfer, which stands in a block then, and let the next block come."""
    till.pay([leg], together=False)
    sent[leg.intent_id] = time.monotonic()
    till.node.mine()


def look_until(ends_at: float, sent: Moments, seen: Moments, *, everything: bool = False) -> None:
    """Note when each payment is settled. Raises: TimeoutError where ``everything`` is not by then."""
    while time.monotonic() < ends_at:
        waiting = [intent_id for intent_id in sent if intent_id not in seen]
        if everything and not waiting:
            return
        for intent_id in PaymentIntent.objects.filter(pk__in=waiting, status="settled").values_list("pk", flat=True):
            seen[intent_id] = time.monotonic()
        time.sleep(LOOK_SECONDS)
    if everything:
        raise TimeoutError("payments are not settled")


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent of them do not exceed; they are in order."""
    return values[min(math.ceil(len(values) * percent / PERCENT), len(values)) - 1]
