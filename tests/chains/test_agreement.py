"""What follows from two nodes' words, case by case; the nodes themselves lie in tests/live/test_second_node.py."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import pytest

from chains.clients.agreement import Testimony as Words
from chains.clients.agreement import agreed, decides
from chains.clients.base import (
    NOBODY,
    IssuedLeg,
    KnownBlock,
    Mark,
    ObservedTransfer,
    Payer,
    PayerProof,
    SeenStatus,
    SeenTransaction,
    TransferKind,
)
from chains.errors import ChainUnavailable
from chains.finality import Finality, finality_for
from chains.registry import CHAINS
from core import metrics
from core.metrics import NODE_DISAGREEMENTS, Totals
from core.models import MetricTotal
from core.money import BaseUnits

BASE: Final = next(one for one in CHAINS if one.name == "base")
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
STAKES = (SMALL, LARGE, None)


def leg(at_stake_usd: Decimal | None, *, counts: bool = False) -> IssuedLeg:
    known = (KnownBlock(tx_hash="0xa", number=100, hash="0xb"),) if counts else ()
    places: dict[str, Any] = {"tag": "tag", "chain": "base", "to_chain": "base"}
    parties: dict[str, Any] = {"sender": "0xs", "recipient": "0xr", "token_address": "0xt"}
    return IssuedLeg(at_stake_usd=at_stake_usd, known_blocks=known, **places, **parties)


def said(*transfers: ObservedTransfer, head: int = 105, seen: SeenTransaction | None = None) -> Words:
    return Words(head=head, transfers=transfers, seen=seen)


def confirmations(first: Words, second: Words | None, at_stake_usd: Decimal | None) -> list[int]:
    return [one.confirmations for one in agreed(BASE, leg(at_stake_usd), first, second).transfers]


def test_what_two_nodes_say_counts_as_far_as_both_say_it() -> None:
    for second in (said(PAID), said(replace(PAID, confirmations=9))):
        assert [confirmations(said(PAID), second, stake) for stake in STAKES] == [[5], [5], [5]]
    others = [replace(PAID, base_units=BaseUnits(24)), replace(PAID, block_hash="0xc")]
    others += [replace(PAID, recipient="0xq"), replace(PAID, position="1")]
    for second in [*map(said, others), said(), said(head=100)]:
        assert [confirmations(said(PAID), second, stake) for stake in STAKES] == [[], [], []], second


def test_a_second_node_that_cannot_know_holds_back_large_amounts_only() -> None:
    """It may be silent, or behind; and where it knows, it must see large amounts as deep."""
    for second in (None, said(head=99)):
        assert [confirmations(said(PAID), second, stake) for stake in STAKES] == [[5], [4], [4]]
    second = said(replace(PAID, confirmations=3))
    assert [confirmations(said(PAID), second, stake) for stake in STAKES] == [[5], [3], [3]]


def test_a_leg_ends_by_the_word_of_both() -> None:
    for status in (SeenStatus.REVERTED, SeenStatus.REPLACED):
        ended = replace(ENDED, status=status)
        both = agreed(BASE, leg(SMALL), said(seen=ended), said(seen=ended))
        one = agreed(BASE, leg(SMALL), said(seen=ended), said(seen=replace(ended, status=SeenStatus.INCLUDED)))
        assert both.seen == ended
        assert one.seen == (None if status == SeenStatus.REPLACED else replace(ended, confirmations=4))


def test_what_counts_is_undone_by_the_word_of_both() -> None:
    """And a large amount not by one word alone."""
    assert agreed(BASE, leg(SMALL, counts=True), said(), said()).transfers == ()
    assert agreed(BASE, leg(SMALL, counts=True), said(PAID), said(PAID)).transfers != ()
    assert agreed(BASE, leg(SMALL, counts=True), said(), None).transfers == ()
    more = said(replace(PAID, base_units=BaseUnits(26)))
    doubts = [
        (SMALL, said(), said(PAID)),
        (SMALL, said(PAID), said()),
        (SMALL, more, said(PAID)),
        (LARGE, said(), None),
    ]
    for stake, first, second in doubts:
        with pytest.raises(ChainUnavailable):
            agreed(BASE, leg(stake, counts=True), first, second)


def test_finality_an_order_and_who_paid_count_where_both_say_so() -> None:
    [kept] = agreed(BASE, leg(SMALL), said(PAID), said(replace(PAID, is_finalized=False))).transfers
    assert kept.is_finalized is False
    first, other = replace(said(), order_id="one"), replace(said(), order_id="other")
    assert [agreed(BASE, leg(SMALL), first, second).order_id for second in (first, other)] == ["one", ""]
    assert [agreed(BASE, leg(stake), first, None).order_id for stake in (SMALL, LARGE)] == ["one", ""]
    named = replace(PAID, payer=Payer(wallet="0xpayer", nonce=1, proof=PayerProof.SENDER))
    assert agreed(BASE, leg(SMALL), said(named), said(named)).transfers[0].payer == named.payer
    for stranger in (NOBODY, Payer(wallet="0xother", nonce=1, proof=PayerProof.SENDER)):
        [kept] = agreed(BASE, leg(SMALL), said(named), said(replace(PAID, payer=stranger))).transfers
        assert kept == PAID


def test_a_second_node_is_asked_where_it_matters() -> None:
    shallow, included = replace(PAID, confirmations=4), replace(ENDED, status=SeenStatus.INCLUDED)
    for words in (said(PAID), said(seen=ENDED), replace(said(), order_id="one")):
        assert decides(BASE, leg(SMALL), words) is True, words
    for words in (said(shallow), said(), said(seen=included)):
        assert decides(BASE, leg(SMALL), words) is False, words
    assert decides(BASE, leg(SMALL, counts=True), said()) is True


def test_a_merchants_wish_only_strengthens_the_operators_table() -> None:
    for amount, wish, waited_for in (
        *(("25", wish, wish) for wish in (Finality.INCLUDED, Finality.SAFE, Finality.FINALIZED)),
        ("1000", Finality.INCLUDED, Finality.SAFE),
        ("10000.01", Finality.SAFE, Finality.FINALIZED),
    ):
        assert finality_for(BASE, Decimal(amount), wish) is waited_for, (amount, wish)


def test_what_came_beside_is_who_both_nodes_say_sent_it() -> None:
    """However little is at stake: it can be given back to whoever is said to have sent it."""
    payer = Payer(wallet="0xpayer", nonce=1, proof=PayerProof.SENDER)
    stray = replace(PAID, position="1", payer=payer)

    def kept(second: Words | None) -> tuple[ObservedTransfer, ...]:
        return agreed(BASE, leg(SMALL), replace(said(PAID), others=(stray,)), second).others

    assert kept(replace(said(PAID), others=(stray,))) == (stray,)
    nobodys = replace(stray, payer=NOBODY)
    thief = replace(stray, payer=Payer(wallet="0xthief", nonce=1, proof=PayerProof.SENDER))
    for second in (None, said(head=99), replace(said(PAID), others=(thief,))):
        assert kept(second) == (nobodys,)
    for second in (said(PAID), replace(said(PAID), others=(replace(stray, base_units=BaseUnits(24)),))):
        assert kept(second) == ()
    one_final = replace(said(PAID), others=(replace(stray, is_finalized=False),))
    assert [one.is_finalized for one in kept(one_final)] == [False]


def test_a_coin_beside_is_what_both_nodes_trace() -> None:
    """It is looked for once, so no later look would correct the word of one: of a token a later one does."""
    payer = Payer(wallet="0xpayer", nonce=1, proof=PayerProof.SENDER)
    coin = replace(PAID, kind=TransferKind.TRACE, position="0.1", mark=Mark.STRAY, payer=payer)

    def kept(second: Words | None) -> tuple[ObservedTransfer, ...]:
        return agreed(BASE, leg(SMALL), replace(said(PAID), others=(coin,)), second).others

    assert kept(replace(said(PAID), others=(coin,))) == (coin,)
    for second in (None, said(head=99), said(PAID)):
        assert kept(second) == ()


@pytest.mark.django_db
def test_each_disagreement_is_counted_by_its_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    totals = Totals()
    totals.keep()
    monkeypatch.setattr(metrics, "totals", totals)
    agreed(BASE, leg(SMALL), said(PAID), said(PAID))
    assert agreed(BASE, leg(SMALL), said(PAID), said()).transfers == ()
    totals.flush()
    counted = MetricTotal.objects.filter(name=NODE_DISAGREEMENTS.name)
    assert list(counted.values_list("labels", "total")) == [("base", 1)]
