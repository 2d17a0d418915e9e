"""A merchant's own wallet sends a refund on a real node: it counts once the chain shows the right transaction."""

from collections.abc import Callable

import pytest

from chains.errors import InvalidAddress
from chains.models import Transfer, TransferProof
from chains.rails.merchant_wallet.commands import (
    MayStillLand,
    ShownToAnotherWallet,
    WalletNotAwaited,
    offer_transfer,
    report_hint,
    state_unsigned,
)
from chains.rails.merchant_wallet.facts import unsigned_of
from chains.registry import EVM_NATIVE_ADDRESS
from chains.transfers import Course, course_of, withdraw_transfer
from core.errors import InvalidRequest
from localnet.nodes import ONE_COIN, fresh_wallet
from tests.live.evm_till import DEEP_ENOUGH
from tests.live.merchant_wallet.desk import UNITS, Desk


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "found"])
def test_the_right_transaction_pays(desk: Desk, is_told: bool) -> None:
    assert desk.work() == "new"
    assert course_of(desk.transfer) is Course.WAITING
    request = desk.offer()
    assert (request["from"], request["to"]) == (desk.wallet.address, desk.token)
    tx_hash = desk.send(request)
    if is_told:
        desk.tell(tx_hash)
    assert desk.work() == "mined"
    desk.node.mine(DEEP_ENOUGH)
    assert (desk.work(), desk.passed()) == ("paid", ["new", "signed", "mined", "paid"])
    proof = desk.proof()
    assert proof is not None
    assert (proof.network, proof.chain, proof.tx_hash, proof.kind) == ("localnet", "base", tx_hash, "log")
    assert (proof.base_units, desk.transfer.tx_hash, desk.held()) == (UNITS, tx_hash, UNITS)


def test_the_native_coin_is_sent_alike(desk: Desk) -> None:
    own = desk.another(token=EVM_NATIVE_ADDRESS)
    Transfer.objects.filter(pk=own.transfer.pk).update(base_units=ONE_COIN // 100)
    request = own.offer()
    tx_hash = own.send(request)
    assert own.finish() == "paid"
    proof = own.proof()
    assert proof is not None
    assert (proof.tx_hash, proof.kind, own.held()) == (tx_hash, "trace", ONE_COIN // 100)


def test_a_transaction_that_waits_for_its_block_is_seen(desk: Desk) -> None:
    request = desk.offer()
    desk.node.rpc("evm_setAutomine", *[False])
    try:
        desk.tell(desk.node.post(desk.wallet, request))
        assert desk.work() == "broadcast"
        with pytest.raises(MayStillLand):
            state_unsigned(desk.transfer.pk, actor="user:1")
    finally:
        desk.node.rpc("evm_setAutomine", *[True])
    desk.node.mine()
    assert (desk.finish(), desk.passed()) == ("paid", ["new", "signed", "broadcast", "mined", "paid"])


def test_a_reorganisation_takes_it_back_until_it_lands_again(desk: Desk) -> None:
    request = desk.offer()
    snapshot = desk.node.rpc("evm_snapshot")
    desk.send(request)
    assert desk.work() == "mined"
    desk.node.rpc("evm_revert", snapshot)
    desk.node.mine(2)
    assert desk.work() == "broadcast"
    desk.send(request)
    assert (desk.finish(), desk.passed()) == ("paid", ["new", "signed", "mined", "broadcast", "mined", "paid"])
    assert TransferProof.objects.filter(transfer=desk.transfer).count() == 1


def test_a_wallet_without_the_money_is_told_so_before_it_is_asked(desk: Desk) -> None:
    poor = fresh_wallet()
    offer_transfer(desk.transfer.pk, poor.address)
    assert (desk.work(), desk.refused()) == ("new", "insufficient_funds")
    assert (desk.offer()["from"], desk.refused()) == (desk.wallet.address, "")


def test_a_silent_node_costs_no_attempt_and_keeps_the_wish(
    desk: Desk, nodes: Callable[..., None], impatient: None
) -> None:
    nodes("base", "http://127.0.0.1:9")
    offer_transfer(desk.transfer.pk, desk.wallet.address)
    assert (desk.work(), desk.refused(), course_of(desk.transfer)) == ("new", "chain_unavailable", Course.WAITING)
    nodes("base", desk.node.url)
    assert desk.work() == "signed"


def test_another_wallet_must_wait_for_the_statement(desk: Desk) -> None:
    desk.offer()
    other = desk.stranger()
    with pytest.raises(ShownToAnotherWallet):
        offer_transfer(desk.transfer.pk, other.address)
    assert not withdraw_transfer(desk.transfer.pk, actor="user:1")
    state_unsigned(desk.transfer.pk, actor="user:7")
    line = desk.transfer.history.order_by("-pk").first()
    assert line is not None
    assert (line.to_status, line.reason, line.actor) == ("new", "stated_unsigned", "user:7")
    request = desk.offer(other)
    assert request["from"] == other.address
    desk.send(request, other)
    assert desk.finish() == "paid"


def test_what_was_signed_after_all_still_counts_and_nothing_else_is_offered(desk: Desk) -> None:
    first = desk.offer()
    state_unsigned(desk.transfer.pk, actor="user:7")
    tx_hash = desk.send(first)
    offer_transfer(desk.transfer.pk, desk.stranger().address)
    assert (desk.finish(), desk.transfer.tx_hash, desk.held()) == ("paid", tx_hash, UNITS)


def test_what_is_no_hash_and_no_address_is_not_taken(desk: Desk) -> None:
    """What is a hash holds the statement back that nothing was signed."""
    for text in ("", "0x12", "So11111111111111111111111111111111111111112"):
        with pytest.raises(InvalidAddress):
            offer_transfer(desk.transfer.pk, text)
    desk.offer()
    for text in ("", "0x12", "0x" + "zz" * 32, "<script>", "0x" + "ab" * 33):
        with pytest.raises(InvalidRequest):
            report_hint(desk.transfer.pk, text)
    desk.tell("0x" + "ab" * 32)
    with pytest.raises(MayStillLand):
        state_unsigned(desk.transfer.pk, actor="user:7")


def test_what_is_offered_is_stored_first_and_can_be_withdrawn_once_stated(desk: Desk) -> None:
    wished = offer_transfer(desk.transfer.pk, desk.wallet.address.lower())
    assert (wished.status, unsigned_of(wished), wished.start_block) == ("new", {}, None)
    head = desk.node.head()
    assert (desk.work(), desk.transfer.sender) == ("signed", desk.wallet.address)
    assert desk.transfer.start_block == head + 1
    state_unsigned(desk.transfer.pk, actor="user:7")
    assert withdraw_transfer(desk.transfer.pk, actor="user:7")
    assert desk.work() == "failed"
    with pytest.raises(WalletNotAwaited):
        offer_transfer(desk.transfer.pk, desk.wallet.address)
