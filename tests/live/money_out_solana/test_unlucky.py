"""What goes wrong on the way, or is forgotten by an older database: never is anything paid twice."""

from typing import Any
from uuid import uuid4

import pytest

from chains.models import Transfer
from chains.registry import SOLANA_NATIVE_ADDRESS
from chains.restored import call_unpaid
from core.clock import now
from localnet.solana.money import USDC
from localnet.solana.runtime import Refused
from tests.live.backup import Backup, forget
from tests.live.money_out_solana.treasury import FOREVER, Treasury
from tests.live.proxy import Proxy


def test_a_reply_that_is_lost_changes_nothing(treasury: Treasury, only: Proxy) -> None:
    treasury.order()
    only.loses = "sendTransaction"
    assert (treasury.advance(), treasury.finish()) == ("mined", "paid")
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 1)


def test_a_node_that_refuses_may_have_sent_it_all_the_same(treasury: Treasury, only: Proxy) -> None:
    """Whatever a node answers, the transfer counts as sent, and is looked for."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    only.lacks = frozenset({"sendTransaction"})
    assert (treasury.advance(), treasury.advance()) == ("broadcast", "broadcast")
    only.lacks = frozenset()
    treasury.node.hold_next(0)
    assert (treasury.finish(), treasury.paid_times(), len(treasury.signatures())) == ("paid", 1, 1)


def test_what_no_node_could_try_is_signed_later(treasury: Treasury, only: Proxy) -> None:
    treasury.order()
    only.loses = "simulateTransaction"
    assert treasury.advance() == "new:chain_unavailable"
    only.loses = ""
    assert (treasury.finish(), treasury.paid_times(), len(treasury.signatures())) == ("paid", 1, 1)


def test_what_is_known_already_counts_as_sent(treasury: Treasury) -> None:
    """Two workers send the same bytes: the second hears that they were processed."""
    treasury.order()
    treasury.node.drop_next(1)
    assert treasury.advance() == "broadcast"
    raw = treasury.transfer.attempts.get().raw
    treasury.node.rpc("sendTransaction", raw, {"encoding": "base64"})
    with pytest.raises(Refused):
        treasury.node.rpc("sendTransaction", raw, {"encoding": "base64"})
    treasury.transfer.attempts.update(first_broadcast_at=None)
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


@pytest.mark.parametrize("both", [True, False], ids=["two-nodes", "one-node"])
def test_what_expired_is_signed_again_once_that_is_final(
    treasury: Treasury, request: pytest.FixtureRequest, both: bool
) -> None:
    if both:
        request.getfixturevalue("other")
    """For then no block can hold it any more."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    assert treasury.advance() == "broadcast"
    [first], last = treasury.signatures(), treasury.last_slot()
    treasury.pass_expiry(0)
    assert (treasury.advance(), treasury.signatures()) == ("broadcast", [first])
    treasury.node.hold_next(0)
    treasury.pass_expiry(1)
    assert treasury.advance() == "mined"
    with pytest.raises(ValueError, match="no block can hold it"):
        treasury.node.emerge(first, last)
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 2)
    assert treasury.path() == ["new", "signed", "broadcast", "new", "signed", "broadcast", "mined", "paid"]


@pytest.mark.parametrize("slots", [1, 2, 30])
def test_what_is_past_its_last_block_may_still_turn_out_to_have_landed(treasury: Treasury, slots: int) -> None:
    """Confirmed is not final: a block within its life can still win, so nothing is signed in its place."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    assert treasury.advance() == "broadcast"
    [first] = treasury.signatures()
    last = treasury.last_slot()
    treasury.pass_expiry(slots, final=False)
    treasury.node.hold_next(0)
    meanwhile = treasury.advance()
    treasury.node.emerge(first, last)
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)
    assert (meanwhile, treasury.signatures()) == ("broadcast", [first])


def test_one_that_failed_on_the_chain_ends_reverted_when_that_is_final(treasury: Treasury) -> None:
    """The money left between the node's trial and the block."""
    treasury.order()
    treasury.node.hold_next(FOREVER)
    treasury.advance()
    [first] = treasury.signatures()
    treasury.node.mint(USDC, treasury.address, -1_000_000_000)
    treasury.node.advance(1)
    treasury.node.emerge(first, treasury.node.head())
    treasury.node.advance(1)
    treasury.node.hold_next(0)
    assert treasury.advance() == "mined"
    treasury.node.advance(10)
    assert treasury.advance() == "mined"
    treasury.node.finalize()
    assert treasury.advance() == "reverted:chain_rejected"
    assert (treasury.paid_times(), len(treasury.landed())) == (0, 1)


def test_what_a_fork_took_back_is_sent_again_as_it_is(treasury: Treasury) -> None:
    treasury.order()
    assert treasury.advance() == "mined"
    treasury.node.roll_back(treasury.transfer.tx_hash)
    assert (treasury.paid_times(), treasury.advance(), treasury.finish()) == (0, "mined", "paid")
    assert (treasury.paid_times(), len(treasury.signatures())) == (1, 1)
    assert treasury.path() == ["new", "signed", "broadcast", "mined", "broadcast", "mined", "paid"]


def test_one_that_was_withdrawn_ends_once_nothing_of_it_can_land(treasury: Treasury) -> None:
    """Before it was signed at once, afterwards when that is dead, and what landed meanwhile is paid."""
    treasury.order()
    assert treasury.withdraw()
    assert (treasury.advance(), treasury.paid_times(), treasury.signatures()) == ("failed:withdrawn", 0, [])
    treasury.order()
    treasury.node.drop_next(FOREVER)
    assert (treasury.advance(), treasury.withdraw()) == ("broadcast", False)
    treasury.node.drop_next(0)
    assert treasury.advance() == "broadcast"
    treasury.pass_expiry(0)
    assert treasury.advance() == "broadcast"
    treasury.pass_expiry(1)
    assert (treasury.advance(), treasury.paid_times(), len(treasury.signatures())) == ("failed:withdrawn", 0, 1)
    assert treasury.withdraw()
    treasury.order()
    treasury.node.hold_next(FOREVER)
    treasury.advance()
    assert not treasury.withdraw()
    treasury.node.advance(5)
    [first] = treasury.signatures()
    treasury.node.emerge(first, treasury.node.head())
    assert (treasury.finish(), treasury.paid_times()) == ("paid", 1)


def restored_after_payment(treasury: Treasury) -> str:
    """A transfer was paid, and its database is from before; the transaction that paid."""
    backup = Backup(treasury.order())
    assert treasury.finish() == "paid"
    [paid] = treasury.signatures()
    backup.restore()
    treasury.node.advance(200)
    return paid


@pytest.mark.parametrize("token", [USDC, SOLANA_NATIVE_ADDRESS], ids=["usdc", "coin"])
def test_what_was_paid_is_found_and_not_paid_again(treasury: Treasury, token: str) -> None:
    treasury.token, treasury.decimals = token, 6 if token == USDC else 9
    paid = restored_after_payment(treasury)
    assert treasury.finish() == "paid"
    assert (treasury.paid_times(), treasury.signatures(), treasury.transfer.tx_hash) == (1, [paid], paid)


@pytest.mark.parametrize("units", [25_000_000, 20_000_000], ids=["the same", "another amount"])
def test_what_was_ordered_after_the_backup_is_not_paid_again(treasury: Treasury, units: int) -> None:
    """The database knows the payout and has no transfer for it; what was forgotten besides may change its amount."""
    purpose_id = uuid4()
    forgotten = treasury.order(purpose_id=purpose_id)
    assert treasury.finish() == "paid"
    [paid] = treasury.signatures()
    forget(forgotten)
    treasury.node.advance(200)
    treasury.units = units
    assert treasury.order(purpose_id=purpose_id).pk == forgotten.pk
    ends = "paid" if units == forgotten.base_units else "new:maybe_paid_before"
    assert [treasury.finish() for _ in range(2)] == [ends] * 2
    treasury.units = forgotten.base_units
    assert treasury.paid_times() == 1
    if units != forgotten.base_units:
        assert Transfer.objects.get(pk=forgotten.pk).past == {"maybe": [paid]}
        call_unpaid(forgotten.pk)
        assert treasury.finish() == "paid"
        assert (treasury.received(), len(treasury.landed())) == (forgotten.base_units + units, 2)


def test_a_second_signature_is_found_too(treasury: Treasury) -> None:
    """The backup knows the first attempt, which is dead; what paid was the second one."""
    treasury.order()
    treasury.node.drop_next(FOREVER)
    assert treasury.advance() == "broadcast"
    backup = Backup(treasury.transfer)
    treasury.pass_expiry(1)
    treasury.node.drop_next(0)
    assert treasury.finish() == "paid"
    dead, paid = treasury.signatures()
    backup.restore()
    treasury.node.advance(200)
    treasury.finish()
    assert (treasury.finish(), treasury.paid_times(), treasury.signatures()) == ("paid", 1, [dead, paid])


def test_what_failed_on_the_chain_is_no_payment(treasury: Treasury) -> None:
    """It landed and moved nothing, so it is sent."""
    backup = Backup(treasury.order())
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
    backup.restore()
    treasury.node.advance(200)
    assert (treasury.finish(), treasury.paid_times(), failed in treasury.signatures()) == ("paid", 1, False)


@pytest.mark.parametrize("nodes_there", ["only", "other"])
def test_a_node_that_cannot_say_lets_nothing_be_signed(
    treasury: Treasury, request: pytest.FixtureRequest, nodes_there: str
) -> None:
    """Alone, or as one of two: both must say that there is nothing."""
    proxy: Proxy = request.getfixturevalue(nodes_there)
    treasury.order()
    proxy.lacks = frozenset({"getSignaturesForAddress"})
    assert (treasury.advance(), treasury.signatures()) == ("new:chain_unavailable", [])
    proxy.lacks = frozenset()
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
    other.says["getSignaturesForAddress"] = []
    assert (treasury.finish(), treasury.paid_times(), treasury.signatures()) == ("paid", 1, [paid])
