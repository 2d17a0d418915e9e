"""What may be concluded from one node's word or two: every combination of what nodes can say, held against the law."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from chains.rails.solana.observation import Landing, SolanaObservation
from chains.rails.solana.verdict import Case, Signature, Verdict, judge

UNITS, START, LAST, LANDED_AT = 25, 1_000, 500, 1_100
FIRST, AGAIN = Signature(name="first", last_valid_height=LAST), Signature(name="again", last_valid_height=LAST + 200)
PAID = Landing(signature="again", slot=LANDED_AT, failed=False, is_final=True, gained=UNITS)


def case(*, has_second: bool = False, needs_second: bool = False) -> Case:
    """Two signatures, the first of them dead for long."""
    facts = {"transfer": "a transfer", "base_units": UNITS, "start_slot": START}
    return Case(signatures=[FIRST, AGAIN], has_second=has_second, needs_second=needs_second, **facts)  # type: ignore[arg-type]  # each is of its field's type


def observation(
    *landings: Landing, height: int = LAST + 201, oldest: int = 0, known: str = "", slot: int = 2_000
) -> SolanaObservation:
    """A node that sees far in both directions."""
    names = {landing.signature for landing in landings} | ({known} if known else set())
    return SolanaObservation(slot=slot, height=height, oldest=oldest, known=frozenset(names), landings=landings)


def changed(**facts: Any) -> Landing:
    return replace(PAID, **facts)


def test_one_node_alone_decides_and_a_silent_second_one_holds_back_death_and_failure() -> None:
    failed = changed(failed=True, gained=0)
    assert judge(case(), observation(PAID), None).verdict == Verdict.PAID
    assert judge(case(), observation(failed), None).verdict == Verdict.REVERTED
    assert judge(case(), observation(), None).verdict == Verdict.DEAD
    for gained in (0, UNITS - 1, UNITS + 1, -UNITS):
        assert judge(case(), observation(changed(gained=gained)), None).verdict == Verdict.STANDS, gained
    assert judge(case(has_second=True), observation(), None).verdict == Verdict.OPEN
    assert judge(case(has_second=True), observation(failed), None).verdict == Verdict.STANDS


def test_nothing_is_dead_while_one_node_cannot_prove_it() -> None:
    """Its last block is not final, its history begins later, or it heard of one of the signatures."""
    for word in (
        observation(height=LAST + 200),
        observation(oldest=START + 1),
        observation(known="again"),
        observation(known="first"),
    ):
        assert judge(case(), word, None).verdict == Verdict.OPEN, word
        for first, second in ((word, observation()), (observation(), word)):
            assert judge(case(has_second=True), first, second).verdict == Verdict.OPEN, word


OTHERS: dict[str, tuple[SolanaObservation | None, Verdict, Verdict]] = {
    "silent": (None, Verdict.PAID, Verdict.STANDS),
    "agrees": (observation(PAID), Verdict.PAID, Verdict.PAID),
    "not final": (observation(changed(is_final=False, gained=None)), Verdict.PAID, Verdict.STANDS),
    "behind": (observation(slot=LANDED_AT - 1), Verdict.PAID, Verdict.STANDS),
    "past it": (observation(), Verdict.STANDS, Verdict.STANDS),
    "another amount": (observation(changed(gained=UNITS - 1)), Verdict.STANDS, Verdict.STANDS),
    "says failed": (observation(changed(failed=True)), Verdict.STANDS, Verdict.STANDS),
    "another slot": (observation(changed(slot=LANDED_AT + 1)), Verdict.STANDS, Verdict.STANDS),
}
"""What a second node says of a payment, and what follows for a small amount and for a large one."""


def test_a_payment_counts_when_the_second_node_allows() -> None:
    for (name, (other, *verdicts)), needs_second in product(OTHERS.items(), (False, True)):
        asked, expected = case(has_second=True, needs_second=needs_second), verdicts[needs_second]
        assert judge(asked, observation(PAID), other).verdict == expected, name
        if other is not None:
            assert judge(asked, other, observation(PAID)).verdict == expected, name


def test_a_failure_ends_nothing_while_another_signature_may_land() -> None:
    failed = changed(signature="first", failed=True, gained=0)
    assert judge(case(), observation(failed, height=LAST + 1), None).verdict == Verdict.STANDS
    assert judge(case(), observation(failed, known="again"), None).verdict == Verdict.STANDS
    assert judge(case(), observation(failed), None).verdict == Verdict.REVERTED
    assert judge(case(), observation(failed, PAID), None).landing == PAID


def test_two_landings_are_shouted_about(caplog: pytest.LogCaptureFixture) -> None:
    judge(case(), observation(PAID, changed(signature="first")), None)
    assert "transfer_landed_twice" in caplog.text


LANDINGS: list[tuple[Landing, ...]] = [
    *((), (PAID,), (changed(is_final=False, gained=None),)),
    *((changed(failed=True, gained=0),), (changed(signature="first"),)),
]
WORDS = [
    observation(*landings, height=height, oldest=oldest, known=known)
    for landings, height, oldest, known in product(
        LANDINGS, (LAST, LAST + 1, LAST + 201), (0, START + 1), ("", "first")
    )
]


@pytest.mark.parametrize("needs_second", [True, False], ids=["large", "small"])
def test_no_combination_of_words_breaks_the_law(needs_second: bool) -> None:
    """With two nodes: dead or failed only if both say so; paid never if one of them denies it."""
    counted = 0
    for first, second in product(WORDS, [None, *WORDS]):
        verdict = judge(case(has_second=True, needs_second=needs_second), first, second).verdict
        words = [word for word in (first, second) if word is not None]
        if verdict == Verdict.DEAD:
            assert second is not None
            assert all(not word.known and word.height > LAST + 200 and word.oldest <= START for word in words)
        if verdict == Verdict.REVERTED:
            assert second is not None
            assert all(any(one.failed and one.is_final for one in word.landings) for word in words)
        if verdict == Verdict.PAID:
            assert any(one.is_final and not one.failed and one.gained == UNITS for w in words for one in w.landings)
            assert second is not None or not needs_second
            assert all(word.landings for word in words)
        counted += verdict != Verdict.OPEN
    assert counted > 1_000
