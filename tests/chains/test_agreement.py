"""What follows from two nodes' words, case by case; the nodes themselves lie in tests/live/test_second_node.py."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from chains.clients.agreement import Testimony as Words
from chains.clients.agreement import agreed, decides
from chains.clients.base import (
    NOBODY,
    IssuedLeg,
    KnownBlock,
    ObservedTransfer,
    Payer,
    PayerProof,
    SeenStatus,
    SeenTransaction,
    TransferKind,
)
from chains.errors import ChainUnavailable
from chains.registry import chain
from core.money import BaseUnits

BASE = chain("base")
assert BASE is not None
MOMENT = datetime(2026, 5, 4, tzinfo=UTC)
PAID = ObservedTransfer(
    chain="base",
    tx_hash="0xa",
    kind=TransferKind.LOG,
    position="0",
    token_address="0xt",
    base_units=BaseUnits(25),
    sender="0xs",
    recipient="0xr",
    block_number=100,
    block_hash="0xb",
    block_time=MOMENT,
    confirmations=5,
    is_finalized=True,
)
ENDED = SeenTransaction(
    status=SeenStatus.REVERTED, confirmations=5, block_number=100, block_hash="0xb", block_time=MOMENT, tx_hash="0xa"
)
SMALL, LARGE = Decimal("999.99"), Decimal(1000)


def leg(at_stake_usd: Decimal | None, *, counts: bool = False) -> IssuedLeg:
    """A leg on Base, with a payment that counts or not."""
    known = (KnownBlock(tx_hash="0xa", number=100, hash="0xb"),) if counts else ()
    return IssuedLeg(
        tag="tag",
        chain="base",
        to_chain="base",
        sender="0xs",
        recipient="0xr",
        token_address="0xt",
        at_stake_usd=at_stake_usd,
        known_blocks=known,
    )


def said(*transfers: ObservedTransfer, head: int = 105, seen: SeenTransaction | None = None) -> Words:
    """A node's words."""
    return Words(head=head, transfers=transfers, seen=seen)


def confirmations(first: Words, second: Words | None, at_stake_usd: Decimal | None) -> list[int]:
    """How deep what both say counts."""
    assert BASE is not None
    return [one.confirmations for one in agreed(BASE, leg(at_stake_usd), first, second).transfers]


@pytest.mark.parametrize("at_stake_usd", [SMALL, LARGE, None], ids=str)
@pytest.mark.parametrize(
    ("second", "kept"),
    [
        (said(PAID), [5]),
        (said(replace(PAID, confirmations=9)), [5]),
        (said(replace(PAID, base_units=BaseUnits(24))), []),
        (said(replace(PAID, block_hash="0xc")), []),
        (said(replace(PAID, recipient="0xq")), []),
        (said(replace(PAID, position="1")), []),
        (said(), []),
        (said(head=100), []),
    ],
    ids=["same", "deeper", "amount", "block", "recipient", "place", "nothing", "nothing at that block"],
)
def test_what_two_nodes_say_counts_as_far_as_both_say_it(
    second: Words, kept: list[int], at_stake_usd: Decimal | None
) -> None:
    assert confirmations(said(PAID), second, at_stake_usd) == kept


@pytest.mark.parametrize("second", [None, said(head=99)], ids=["silent", "behind"])
def test_a_second_node_that_cannot_know_holds_back_large_amounts_only(second: Words | None) -> None:
    assert [confirmations(said(PAID), second, at_stake) for at_stake in (SMALL, LARGE, None)] == [[5], [4], [4]]


def test_a_second_node_must_see_large_amounts_as_deep() -> None:
    second = said(replace(PAID, confirmations=3))
    assert [confirmations(said(PAID), second, at_stake) for at_stake in (SMALL, LARGE, None)] == [[5], [3], [3]]


def test_finality_must_be_told_by_both() -> None:
    assert BASE is not None
    [kept] = agreed(BASE, leg(SMALL), said(PAID), said(replace(PAID, is_finalized=False))).transfers
    assert kept.is_finalized is False


@pytest.mark.parametrize("status", [SeenStatus.REVERTED, SeenStatus.REPLACED])
def test_a_leg_ends_by_the_word_of_both(status: SeenStatus) -> None:
    assert BASE is not None
    ended = replace(ENDED, status=status)
    both = agreed(BASE, leg(SMALL), said(seen=ended), said(seen=ended))
    one = agreed(BASE, leg(SMALL), said(seen=ended), said(seen=replace(ended, status=SeenStatus.INCLUDED)))
    assert both.seen == ended
    assert one.seen == (None if status == SeenStatus.REPLACED else replace(ended, confirmations=4))


@pytest.mark.parametrize(
    ("first", "second", "undone"),
    [
        (said(), said(), True),
        (said(), said(PAID), None),
        (said(PAID), said(PAID), False),
        (said(PAID), said(), None),
        (said(replace(PAID, base_units=BaseUnits(26))), said(PAID), None),
    ],
    ids=["both gone", "first hides", "both show", "second hides", "first says more"],
)
def test_what_counts_is_undone_by_the_word_of_both(first: Words, second: Words, undone: bool | None) -> None:
    assert BASE is not None
    if undone is None:
        with pytest.raises(ChainUnavailable):
            agreed(BASE, leg(SMALL, counts=True), first, second)
        return
    assert (agreed(BASE, leg(SMALL, counts=True), first, second).transfers == ()) is undone


def test_a_large_amount_that_counts_is_not_undone_by_one_word() -> None:
    assert BASE is not None
    assert agreed(BASE, leg(SMALL, counts=True), said(), None).transfers == ()
    with pytest.raises(ChainUnavailable):
        agreed(BASE, leg(LARGE, counts=True), said(), None)


def test_an_order_counts_when_both_read_it() -> None:
    assert BASE is not None
    first, other = replace(said(), order_id="one"), replace(said(), order_id="other")
    found = [agreed(BASE, leg(stake), first, second).order_id for stake, second in [(SMALL, first), (SMALL, other)]]
    assert found == ["one", ""]
    assert [agreed(BASE, leg(stake), first, None).order_id for stake in (SMALL, LARGE)] == ["one", ""]


@pytest.mark.parametrize(
    ("words", "counts", "matters"),
    [
        (said(PAID), False, True),
        (said(replace(PAID, confirmations=4)), False, False),
        (said(), False, False),
        (said(), True, True),
        (said(seen=ENDED), False, True),
        (said(seen=replace(ENDED, status=SeenStatus.INCLUDED)), False, False),
        (replace(said(), order_id="one"), False, True),
    ],
    ids=["deep", "not deep", "nothing", "gone", "reverted", "included", "order"],
)
def test_a_second_node_is_asked_where_it_matters(words: Words, counts: bool, matters: bool) -> None:
    assert BASE is not None
    assert decides(BASE, leg(SMALL, counts=counts), words) is matters


@pytest.mark.parametrize("other", [NOBODY, Payer(wallet="0xother", nonce=1, proof=PayerProof.SENDER)])
def test_who_paid_is_believed_only_where_both_say_so(other: Payer) -> None:
    assert BASE is not None
    named = replace(PAID, payer=Payer(wallet="0xpayer", nonce=1, proof=PayerProof.SENDER))
    assert agreed(BASE, leg(SMALL), said(named), said(named)).transfers[0].payer == named.payer
    [kept] = agreed(BASE, leg(SMALL), said(named), said(replace(PAID, payer=other))).transfers
    assert kept == PAID
