"""A database that is older than a payment: the chain is searched for the transfer's mark before it takes a nonce."""

from collections.abc import Callable
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from hexbytes import HexBytes

from chains.calldata.erc20 import transfer_call
from chains.models import SigningAccount, Transfer
from chains.transfers import Course, course_of
from core.clock import now
from localnet.nodes import fresh_wallet
from tests.live.backup import Backup, forget
from tests.live.money_out.test_foreign import paused_for, use_the_key
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, Treasury, once
from tests.live.proxy import Proxy

FEES = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 10**10}


def restored_after_payment(treasury: Treasury) -> Transfer:
    """A transfer was paid, and its database is from before."""
    transfer = treasury.order()
    backup = Backup(*treasury.account.transfers.all())
    paid = treasury.finish(transfer)
    assert once(treasury, paid)
    backup.restore()
    return paid


def run(*words: str) -> str:
    printed = StringIO()
    call_command(*words, stdout=printed)
    return printed.getvalue()


def refused(*words: str) -> str:
    with pytest.raises(CommandError) as refusal:
        call_command(*words)
    return str(refusal.value)


def sent_by_hand(treasury: Treasury, whole: int = 25) -> str:
    """As much, to the same recipient, sent with the account's key by another program, without a mark."""
    call = {"to": treasury.token, "value": "0x0", "data": transfer_call(treasury.recipient, treasury.units(whole))}
    nonce = treasury.node.web3.eth.get_transaction_count(treasury.key.address)
    tx_hash = treasury.node.post(treasury.key, call, nonce=nonce, **FEES)
    treasury.node.mine()
    treasury.node.await_receipt(HexBytes(tx_hash))
    return tx_hash


def test_the_first_transfer_of_an_account_is_found(treasury: Treasury, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing in the database says that the account ever sent anything."""
    paid = restored_after_payment(treasury)
    again = treasury.finish(paid)
    assert once(treasury, again)
    assert (again.tx_hash, again.nonce, treasury.used_nonces()) == (paid.tx_hash, 0, [0])
    assert f"transfer_sent_before {paid.pk}: {paid.tx_hash}" in caplog.text
    other = treasury.finish(treasury.order(5))
    assert (other.status, other.nonce, paused_for(treasury)) == ("paid", 1, "")


def test_one_that_was_ordered_after_the_backup_is_ordered_as_the_same(treasury: Treasury) -> None:
    """The database knows the refund and has no transfer for it."""
    purpose_id = uuid4()
    paid = treasury.finish(treasury.order(purpose_id=purpose_id))
    forget(paid)
    again = treasury.finish(treasury.order(purpose_id=purpose_id))
    assert once(treasury, again)
    assert (again.pk, again.tx_hash, treasury.used_nonces()) == (paid.pk, paid.tx_hash, [0])


def test_one_that_was_of_another_amount_waits_for_a_person(treasury: Treasury) -> None:
    """What was forgotten besides changed what is due; whether that is sent, too, is nothing to guess."""
    purpose_id = uuid4()
    paid = treasury.finish(treasury.order(purpose_id=purpose_id))
    forget(paid)
    transfer = treasury.order(20, purpose_id=purpose_id)
    for _ in range(2):
        assert treasury.finish(transfer).blocker == "maybe_paid_before"
    assert f"may have been paid by {paid.tx_hash}" in run("decide_transfer", str(transfer.pk))
    assert (treasury.landed(), treasury.used_nonces()) == ([treasury.units(25)], [0])


@pytest.mark.parametrize("asset", ["base USDC", "ethereum USDT", "bnb USDC"])
def test_a_later_one_is_found_and_the_account_goes_on(opened: Callable[..., Treasury], asset: str) -> None:
    treasury = opened(asset)
    treasury.finish(treasury.order(5))
    transfer = treasury.order()
    backup = Backup(*treasury.account.transfers.all())
    paid = treasury.finish(transfer)
    backup.restore()
    again = treasury.finish(transfer)
    landed = [treasury.units(5), treasury.units(25)]
    assert (again.status, again.tx_hash, treasury.landed()) == ("paid", paid.tx_hash, landed)
    last = treasury.finish(treasury.order(7))
    assert (last.status, paused_for(treasury), treasury.used_nonces()) == ("paid", "", [0, 1, 2])


def test_two_that_look_alike_are_told_apart(treasury: Treasury) -> None:
    """As much to the same recipient: one was paid, the other was not."""
    paid, waiting = treasury.order(), treasury.order()
    backup = Backup(*treasury.account.transfers.all())
    treasury.finish(paid)
    backup.restore()
    sent = treasury.finish(waiting)
    assert treasury.finish(paid).status == "paid"
    assert treasury.finish(sent).status in {"new", "paid"}
    if paused_for(treasury):
        assert not treasury.landed()[2:]


def test_a_dearer_one_that_the_backup_does_not_know_is_found(treasury: Treasury, second: Proxy) -> None:
    """It holds the nonce and the first attempt; what landed was the second one."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    backup = Backup(*treasury.account.transfers.all())
    treasury.wait()
    treasury.advance(transfer)
    treasury.node.rpc(*BLOCKS_GO)
    treasury.node.mine()
    paid = treasury.finish(transfer)
    assert (once(treasury, paid), len(treasury.attempts(paid))) == (True, 2)
    backup.restore()
    treasury.advance(transfer)
    assert treasury.advance(transfer).nonce == 0
    again = treasury.finish(transfer)
    assert once(treasury, again)
    assert (again.tx_hash, treasury.used_nonces()) == (paid.tx_hash, [0])


def test_it_is_found_though_it_was_sent_with_the_key_of_before(treasury: Treasury) -> None:
    """The account was retired since, and the next one took over what waited."""
    paid = restored_after_payment(treasury)
    SigningAccount.objects.filter(pk=treasury.account.pk).update(retired_at=now(), paused_at=now())
    columns = SigningAccount.objects.filter(pk=treasury.account.pk).values().get()
    columns |= {"address": fresh_wallet().address, "retired_at": None, "paused_at": None, "next_nonce": None}
    other = SigningAccount.objects.create(**{name: value for name, value in columns.items() if name != "id"})
    Transfer.objects.filter(pk=paid.pk).update(account=other, sender=other.address)
    again = treasury.finish(paid)
    assert once(treasury, again)
    assert (again.tx_hash, again.account_id) == (paid.tx_hash, treasury.account.pk)


def test_one_that_waits_in_no_block_yet_stops_the_account(treasury: Treasury) -> None:
    """What the database forgot may land at any moment, so another nonce is not taken."""
    treasury.finish(treasury.order(5))
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    backup = Backup(*treasury.account.transfers.all())
    sent = treasury.advance(transfer)
    backup.restore()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, paused_for(treasury)) == ("new", "signer_paused", "unknown_pending")
    treasury.node.rpc(*BLOCKS_GO)
    treasury.node.mine()
    again = treasury.finish(transfer)
    assert (again.status, again.tx_hash) == ("paid", sent.tx_hash)
    assert treasury.landed() == [treasury.units(5), treasury.units(25)]


def test_one_node_that_hides_it_does_not_matter(treasury: Treasury, liar: Proxy) -> None:
    paid = restored_after_payment(treasury)
    liar.says["eth_getLogs"] = []
    assert once(treasury, treasury.finish(paid))
    assert treasury.used_nonces() == [0]


def test_a_node_that_cannot_search_lets_nothing_be_sent(treasury: Treasury, only: Proxy) -> None:
    """One that cannot tell an account's nonces of long ago is searched all the same: every log is read."""
    paid = restored_after_payment(treasury)
    only.lacks = frozenset({"eth_getLogs"})
    seen = treasury.advance(paid)
    assert (seen.status, seen.blocker, seen.nonce) == ("new", "chain_unavailable", None)
    only.lacks = frozenset()
    only.says["eth_getTransactionCount"] = None
    for _ in range(3):
        assert treasury.advance(paid).status in {"new", "broadcast", "mined"}
    only.says.clear()
    assert (once(treasury, treasury.finish(paid)), treasury.used_nonces()) == (True, [0])


@pytest.mark.parametrize("asset", ["base USDC", "base ether"])
def test_what_carries_no_mark_waits_for_a_person(opened: Callable[..., Treasury], asset: str) -> None:
    """Sent before there were marks, or a coin: as much to the same address may be this, or not."""
    treasury = opened(asset)
    transfer = treasury.order()
    if asset == "base USDC":
        tx_hash = sent_by_hand(treasury)
    else:
        backup = Backup(*treasury.account.transfers.all())
        tx_hash = treasury.finish(transfer).tx_hash
        backup.restore()
    for _ in range(2):
        seen = treasury.advance(transfer)
        assert (seen.status, seen.blocker, course_of(seen)) == ("new", "maybe_paid_before", Course.WAITING)
    assert f"may have been paid by {tx_hash}" in run("decide_transfer", str(transfer.pk))
    run("decide_transfer", str(transfer.pk), "--paid-by", tx_hash)
    again = treasury.finish(transfer)
    assert once(treasury, again)
    assert (again.tx_hash, treasury.used_nonces()) == (tx_hash, [0])


def test_a_word_that_the_chain_contradicts_changes_nothing(treasury: Treasury) -> None:
    """What a person calls another's is sent."""
    transfer = treasury.order()
    sent_by_hand(treasury)
    assert treasury.advance(transfer).blocker == "maybe_paid_before"
    other = sent_by_hand(treasury, 5)
    run("decide_transfer", str(transfer.pk), "--paid-by", other)
    seen = treasury.advance(transfer)
    by_hand = [treasury.units(25), treasury.units(5)]
    assert (seen.status, seen.blocker, treasury.landed()) == ("new", "maybe_paid_before", by_hand)
    run("decide_transfer", str(transfer.pk), "--not-paid")
    paid = treasury.finish(transfer)
    assert (treasury.landed(), treasury.used_nonces()) == ([*by_hand, treasury.units(25)], [0, 1, 2])
    sentence = "This transfer is paid: only one that is new can be decided."
    assert (paid.status, refused("decide_transfer", str(paid.pk), "--not-paid")) == ("paid", sentence)
    taken = "That transaction already stands for a transfer of this database."
    assert refused("decide_transfer", str(treasury.order(3).pk), "--paid-by", paid.tx_hash) == taken


def test_no_account_goes_on_while_what_waits_may_explain_the_foreign_nonce(treasury: Treasury) -> None:
    treasury.finish(treasury.order(5))
    use_the_key(treasury, 1)
    transfer = treasury.order()
    assert treasury.advance(transfer).blocker == "signer_paused"
    number = str(treasury.account.pk)
    sentence = refused("change_signing_account", number, "--resume")
    assert str(transfer.pk) in sentence
    assert sentence.startswith("1 of its transfers were ordered before it was paused and never signed")
    run("change_signing_account", number, "--pause", "look first")
    assert (str(transfer.pk) in refused("change_signing_account", number, "--resume"), paused_for(treasury)) == (
        True,
        "foreign_nonce",
    )
    run("decide_transfer", str(transfer.pk), "--not-paid")
    assert "signs" in run("change_signing_account", number, "--resume")
    assert treasury.finish(transfer).status == "paid"
    assert treasury.landed() == [treasury.units(5), treasury.units(25)]
