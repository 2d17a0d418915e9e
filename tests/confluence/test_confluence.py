"""Whatever happens on a chain, and whoever reads it when: the books end as the chain does, and count nothing unseen.

And histories find what they are for: each fault that is planted into the service shows within a few of them.
Source: docs/adr/0058.
"""

from random import Random

import pytest
import time_machine
from hypothesis import find, given

from payments.models import Credit, Leg, PaymentIntent
from tests.confluence import stage as stages
from tests.confluence.chain import DROPPED, LATER, STAYS
from tests.confluence.faults import BESIDE, PLANTS, Plant, planted
from tests.confluence.node import Oddity
from tests.confluence.stage import in_memory, staged
from tests.confluence.steps import (
    Asked,
    Branch,
    Brought,
    Claim,
    Hint,
    History,
    Interruption,
    Look,
    Mine,
    Pay,
    PayTogether,
    PayUnmarked,
    Read,
    Step,
    Turn,
    Wait,
    Way,
    histories,
)
from tests.confluence.telling import take, tell
from tests.properties import half, search

MOST = 200
"""Histories within which a planted fault is found."""
SOONEST = "skipped_block"
FAULTS = [pytest.param(name, marks=[] if name == SOONEST else [pytest.mark.exhaustive]) for name in PLANTS]
BY_HAND = {
    "a repeat and the rest of a short payment": (
        (Pay(0), Pay(1, Brought.SHORT), Mine(9), Read(), Look(), Pay(0), Pay(1, Brought.REST), Mine(9), Read(), Look())
    ),
    "a branch takes back what counted": (
        (Pay(0), Mine(7), Read(), Look(), Branch(9, (1,), beside=1), Read(), Look(), Pay(0), Mine(9), Read(), Look())
    ),
    "two readers at once": (
        (Read(), Pay(0), Mine(3), Read(cut=Interruption("reading._record_new", meanwhile=(Mine(2), Read()))), Look())
    ),
    "one node hides a block both times that it is read": (
        (Turn(Oddity.HIDES), Pay(0), Mine(9), Read(odd_first=True), Mine(9), Read())
    ),
    "a coin under one mark twice, by a wallet of its own and by a stranger": (
        (Pay(0), Pay(1), Mine(9), Read(), Look(), Pay(1, by_stranger=True), Mine(9), Read(), Look())
    ),
    "one transaction with the marks of two": (
        (PayTogether(0), PayTogether(1, is_bundled=True), Mine(9), Read(), Look(), PayTogether(0, fails=True), Mine(9))
    ),
    "one transaction with one mark twice": ((PayTogether(0, further=0, brings=Brought.SHORT), Mine(9), Read(), Look())),
    "an unmarked transfer that its wallet claims for two": (
        (PayUnmarked(0), Mine(9), Claim(0), Read(), Look(), Claim(1), Look(), Mine(9), Read(), Look())
    ),
    "a claim of a payment with another's mark": (
        (Pay(0), Mine(2), Claim(1, with_mark=True), Mine(14), Look(), Read(), Look())
    ),
    "a claim of a transfer that waits for its block": (PayUnmarked(0), Claim(0), Look(), Mine(9), Read(), Look()),
    "a claim of a transfer that one node does not show": (
        (PayUnmarked(0), Turn(Oddity.LAGS), Mine(3), Claim(0), Wait(700), Look(odd_first=True))
    ),
    "a claim while another payment is on its way that a branch takes for good": (
        (
            *(PayUnmarked(0), Pay(0), Mine(1), Read(), Look(), Claim(0)),
            *(Branch(2, (STAYS, DROPPED)), Read(), Look(), Wait(700), Look()),
        )
    ),
    "a claim for what a branch delays, of a leg whose marked payment is gone": (
        (
            *(Pay(0), Mine(2), Read(), Look(), Branch(2, (DROPPED,)), Read(), Look(), Wait(700), Look()),
            *(PayUnmarked(0, is_claimed=True), Mine(1), Look(), Branch(1, (LATER,)), Look(), Mine(9), Read(), Look()),
        )
    ),
    "a claim beside a payment that a branch takes while its reader rests": (
        (
            *(
                Pay(0),
                Mine(1),
                Read(),
                Look(),
                Read(cut=Interruption("reading._record_new", meanwhile=(Branch(6, (1,)),))),
            ),
            PayUnmarked(0, is_claimed=True),
        )
    ),
    "a claim beside dust with the mark of its leg": (
        (
            *(Pay(0, Brought.DUST), Hint(0), Mine(1), Read(), PayUnmarked(0, is_claimed=True), Mine(1)),
            *(Look(), Read(), Look()),
        )
    ),
    "a claim beside a stranger's dust with the mark of its leg": (
        (
            *(Pay(0, Brought.DUST, by_stranger=True), Mine(1), Read(), PayUnmarked(0, is_claimed=True), Mine(1)),
            *(Look(), Hint(0), Look(), Mine(9), Read(), Look()),
        )
    ),
    "a death while it is written down": (
        (Pay(0), Mine(9), Read(), Look(cut=Interruption("follow.conclude")), Wait(61), Look())
    ),
}


@half("CONFLUENCE")
@given(history=histories())
def test_the_books_end_as_the_chain_does(clock: time_machine.Traveller, history: History) -> None:
    wrong = tell(history, clock)
    assert not wrong, "\n".join([str(history), *wrong])


def by_hand(name: str) -> History:
    """The history of this name: two payments, of one merchant where claims are told, one in coin where coins are."""
    asked = (Asked(), Asked(merchant=int("claim" not in name), way=Way.COIN if "coin" in name else Way.TOKEN))
    return History(asked, BY_HAND[name])


@pytest.mark.parametrize("name", BY_HAND)
def test_told_by_hand(clock: time_machine.Traveller, name: str) -> None:
    assert tell(by_hand(name), clock) == []


def take_all(stage: stages.Stage, *steps: Step) -> None:
    for step in steps:
        take(step, stage)


def test_dust_ends_no_leg_whose_claim_waits(clock: time_machine.Traveller) -> None:
    """A claim counts once its block is final, and dust long before: the payer is not told that most is missing."""
    with staged(clock, (Asked(),), in_memory) as told:
        take_all(told, Pay(0, Brought.DUST), Mine(9), Read(), Look(), PayUnmarked(0, is_claimed=True), Mine(1), Look())
        leg = Leg.objects.get()
        assert (leg.status, leg.tx_hash, leg.intent.status) == ("confirming", told.unmarked[0].tx_hash, "executing")
        assert list(Credit.objects.filter(final_at__isnull=False).values_list("base_units", flat=True)) == [1]


def test_a_claim_that_a_branch_delays_counts(clock: time_machine.Traveller) -> None:
    """Though dust ended its leg meanwhile."""
    with staged(clock, (Asked(),), in_memory) as told:
        take_all(told, Pay(0, Brought.DUST), Mine(9), Read(), PayUnmarked(0, is_claimed=True), Mine(1), Look())
        take_all(told, Branch(1, (LATER,)), Look(), Wait(61), Look())
        assert Leg.objects.get().status == "confirmed"
        for _ in range(2):
            take_all(told, Mine(16), Wait(301), Read(), Look())
        assert (PaymentIntent.objects.get().status, Leg.objects.get().output_base_units) == ("settled", 25_000_001)


@pytest.mark.parametrize("is_there", [False, True], ids=["begins after it", "begins before it"])
@pytest.mark.parametrize("depth", [2, 10])
def test_a_new_reader_reads_a_branch(
    clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch, depth: int, is_there: bool
) -> None:
    """Nothing is taken for final because a reader began there: a branch may hold a payment before it."""
    monkeypatch.setattr(stages, "READERS_RAN_BEFORE", False)
    begins = (Read(),) if is_there else ()
    assert tell(History((Asked(),), (*begins, Pay(0), Branch(depth))), clock) == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(clock: time_machine.Traveller, name: str) -> None:
    told: list[bool] = []

    def is_red_by(history: History, *plants: Plant) -> bool:
        with planted(*plants):
            return bool(tell(history, clock))

    def is_red(history: History) -> bool:
        beside = BESIDE.get(name, ())
        told.append(is_red_by(history, *PLANTS[name], *beside) and not (beside and is_red_by(history, *beside)))
        return told[-1]

    red = find(histories(), is_red, settings=search(MOST), random=Random(1))  # noqa: S311 - alike in every run
    print(f"{name}: found by history {told.index(True) + 1}")
    assert tell(red, clock) == []
