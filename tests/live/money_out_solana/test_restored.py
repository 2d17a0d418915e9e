"""A database that is older than a payment: the chain is asked for the transfer's mark before anything is signed."""

from typing import Any

import pytest

from chains.models import Transfer, TransferAttempt
from core.clock import now
from tests.live.money_out_solana.treasury import FOREVER, Treasury
from tests.live.proxy import Proxy

Row = dict[str, Any]


def remembered(treasury: Treasury) -> Row:
    """The row as a backup holds it."""
    return dict(Transfer.objects.filter(pk=treasury.transfer.pk).values().get())


def restore(treasury: Treasury, row: Row, *, attempts: int = 0) -> None:
    """Put the row back as the backup has it, with as many of its attempts."""
    later = TransferAttempt.objects.filter(transfer_id=row["id"], sequence__gt=attempts)
    later._raw_delete("default")
    Transfer.objects.filter(pk=row["id"]).update(**{name: value for name, value in row.items() if name != "id"})


def restored_after_payment(treasury: Treasury) -> str:
    """A transfer was paid, and its database is from before; the transaction that paid."""
    treasury.order()
    row = remembered(treasury)
    assert treasury.finish() == "paid"
    [paid] = treasury.signatures()
    restore(treasury, row)
    treasury.node.advance(200)
    return paid


def test_what_was_paid_is_found_and_not_paid_again(treasury: Treasury) -> None:
    paid = restored_after_payment(treasury)
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), treasury.signatures(), treasury.transfer.tx_hash) == (1, [paid], paid)


def test_the_coin_too(treasury: Treasury) -> None:
    treasury.token, treasury.decimals, treasury.units = "1" * 32, 9, 25_000_000
    paid = restored_after_payment(treasury)
    assert (treasury.finish(), treasury.paid_times(), treasury.signatures()) == ("paid", 1, [paid])


def test_a_second_signature_is_found_too(treasury: Treasury) -> None:
    """The backup knows the first attempt, which is dead; what paid was the second one."""
    treasury.order()
    treasury.node.drop_next(FOREVER)
    assert treasury.advance() == "broadcast"
    row = remembered(treasury)
    treasury.pass_expiry(1)
    treasury.node.drop_next(0)
    assert treasury.finish() == "paid"
    dead, paid = treasury.signatures()
    restore(treasury, row, attempts=1)
    treasury.node.advance(200)
    treasury.finish()
    assert (treasury.finish(), treasury.paid_times(), treasury.signatures()) == ("paid", 1, [dead, paid])


def test_what_failed_on_the_chain_is_no_payment(treasury: Treasury) -> None:
    """It landed and moved nothing, so it is sent."""
    treasury.order()
    row = remembered(treasury)
    treasury.node.hold_next(1)
    assert treasury.advance() == "broadcast"
    [failed] = treasury.signatures()
    treasury.node.mint(treasury.token, treasury.address, -1_000_000_000)
    treasury.node.advance(1)
    treasury.node.emerge(failed, treasury.node.head())
    treasury.node.advance(1)
    treasury.node.finalize()
    assert [one.error is None for one in treasury.landed()] == [False]
    treasury.node.mint(treasury.token, treasury.address, 1_000_000_000)
    restore(treasury, row)
    treasury.node.advance(200)
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), failed in treasury.signatures()) == (1, False)


def test_a_node_that_cannot_say_lets_nothing_be_signed(treasury: Treasury, only: Proxy) -> None:
    treasury.order()
    only.lacks = frozenset({"getSignaturesForAddress"})
    assert treasury.advance() == "new:chain_unavailable"
    assert treasury.signatures() == []
    only.lacks = frozenset()
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


def test_a_node_that_forgot_the_past_lets_nothing_be_signed(treasury: Treasury, only: Proxy) -> None:
    """Its history begins after the transfer was ordered."""
    paid = restored_after_payment(treasury)
    Transfer.objects.filter(pk=treasury.transfer.pk).update(created_at=now().replace(year=2020))
    only.says["getSignaturesForAddress"] = []
    only.says["getFirstAvailableBlock"] = treasury.node.head() - 1
    assert treasury.finish() == "new:chain_unavailable"
    only.says.clear()
    Transfer.objects.filter(pk=treasury.transfer.pk).update(created_at=now())
    assert (treasury.finish(), treasury.paid_times(), treasury.signatures()) == ("paid", 1, [paid])


@pytest.mark.parametrize("which", ["first", "second"])
def test_one_node_that_hides_it_does_not_matter(treasury: Treasury, other: Proxy, which: str, nodes: Any) -> None:
    if which == "first":
        nodes("solana", other.url, treasury.node.url)
    paid = restored_after_payment(treasury)
    other.bend = lambda method, result: [] if method == "getSignaturesForAddress" else result
    assert (treasury.finish(), treasury.paid_times(), treasury.signatures()) == ("paid", 1, [paid])


def test_two_nodes_must_both_say_that_there_is_nothing(treasury: Treasury, other: Proxy) -> None:
    treasury.order()
    other.lacks = frozenset({"getSignaturesForAddress"})
    assert treasury.advance() == "new:chain_unavailable"
    assert treasury.signatures() == []
    other.lacks = frozenset()
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)
