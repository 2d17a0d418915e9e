"""A transfer that shall not be made any more: something that moves nothing uses its nonce, unless it landed before."""

from collections.abc import Callable

import pytest

from chains.models import SigningAccount, Transfer
from chains.rails.evm.rail import EvmRail
from chains.transfers import Course, course_of
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, GOING, STOPPED, Treasury, never, once


def step(transfer: Transfer, times: int = 1) -> str:
    """So many steps of a worker; the status then."""
    for _ in range(times):
        EvmRail().step(Transfer.objects.select_related("account").get(pk=transfer.pk))
    return Transfer.objects.get(pk=transfer.pk).status


def test_before_it_has_a_nonce_it_ends_at_once(treasury: Treasury) -> None:
    transfer = treasury.order()
    assert treasury.withdraw(transfer) is True
    ended = treasury.advance(transfer)
    assert (ended.status, ended.failure, ended.nonce, treasury.sent()) == ("failed", "withdrawn", None, [])


@pytest.mark.parametrize("steps", [1, 2, 3], ids=["reserved", "signed", "broadcast"])
def test_afterwards_nothing_lands_in_its_place(treasury: Treasury, steps: int) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    assert step(transfer, steps) == ["reserved", "signed", "broadcast"][steps - 1]
    assert treasury.withdraw(transfer) is False
    seen = treasury.advance(transfer)
    assert course_of(seen) is Course.UNDER_WAY
    treasury.node.mine()
    ended = treasury.finish(transfer)
    assert (ended.status, ended.failure, course_of(ended)) == ("failed", "withdrawn", Course.FAILED)
    assert (never(treasury), treasury.used_nonces()) == (True, [0])
    kinds = [attempt.kind for attempt in treasury.attempts(transfer)]
    assert kinds == ["noop"] if steps == 1 else kinds == ["pay", "noop"]
    assert treasury.attempts(transfer)[0].first_broadcast_at is not None or steps == 2
    treasury.node.rpc(*BLOCKS_GO)
    other = treasury.order(purpose="payout")
    assert (once(treasury, treasury.finish(other)), treasury.used_nonces()) == (True, [0, 1])


def test_what_landed_already_is_paid(treasury: Treasury) -> None:
    transfer = treasury.order()
    assert treasury.land(transfer).status == "mined"
    assert treasury.withdraw(transfer) is False
    assert once(treasury, treasury.finish(transfer))


def test_the_payment_may_win(treasury: Treasury) -> None:
    """The replacement is signed, and the payment lands all the same: that is what counts."""
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    treasury.advance(transfer)
    [payment] = treasury.attempts(transfer)
    treasury.withdraw(transfer)
    treasury.advance(transfer)
    treasury.node.rpc("anvil_dropAllTransactions")
    treasury.node.rpc("eth_sendRawTransaction", payment.raw)
    treasury.node.mine()
    paid = treasury.finish(transfer)
    assert (once(treasury, paid), paid.tx_hash, paid.failure) == (True, payment.tx_hash, "")
    assert treasury.used_nonces() == [0]


def test_withdrawn_and_without_gas_it_waits_for_gas(treasury: Treasury) -> None:
    transfer = treasury.order()
    step(transfer)
    treasury.withdraw(transfer)
    treasury.node.fund(treasury.key.address, 0)
    seen = treasury.advance(transfer)
    assert (seen.status, seen.hindrance, course_of(seen)) == ("reserved", "insufficient_gas", Course.WAITING)
    treasury.node.fund(treasury.key.address)
    assert treasury.finish(transfer).status == "failed"
    assert (never(treasury), treasury.used_nonces()) == (True, [0])


def test_a_paused_account_signs_nothing_and_keeps_the_nonce(treasury: Treasury) -> None:
    transfer = treasury.order()
    step(transfer)
    SigningAccount.objects.filter(pk=treasury.account.pk).update(paused_at="2026-01-01T00:00:00Z")
    seen = treasury.advance(transfer)
    assert (seen.status, seen.hindrance, seen.nonce) == ("reserved", "signer_paused", 0)
    treasury.resume()
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0]


def test_a_key_that_is_away_keeps_the_nonce(treasury: Treasury) -> None:
    transfer = treasury.order()
    step(transfer)
    SigningAccount.objects.filter(pk=treasury.account.pk).update(key_reference="lost")
    seen = treasury.advance(transfer)
    assert (seen.status, seen.hindrance, course_of(seen)) == ("reserved", "signer_unavailable", Course.WAITING)
    SigningAccount.objects.filter(pk=treasury.account.pk).update(key_reference=treasury.name)
    assert once(treasury, treasury.finish(transfer))


def test_what_would_fail_once_it_has_a_nonce_uses_it_up_and_fails(
    treasury: Treasury, paused: Callable[[bool], None]
) -> None:
    transfer = treasury.order()
    step(transfer)
    paused(STOPPED)
    ended = treasury.finish(transfer)
    assert (ended.status, ended.failure, never(treasury)) == ("failed", "chain_rejected", True)
    assert (treasury.used_nonces(), [one.kind for one in treasury.attempts(transfer)]) == ([0], ["noop"])
    paused(GOING)


def spend_elsewhere(treasury: Treasury) -> None:
    """All of the account's tokens are gone, and its nonce is as before. Why so: a real chain has no such way."""
    node, owner = treasury.node, treasury.key.address
    call = node.token(treasury.token).encode_abi("transfer", args=[node.web3.eth.accounts[0], treasury.units(1_000)])
    node.rpc("anvil_impersonateAccount", owner)
    sent = node.rpc("eth_sendTransaction", {"from": owner, "to": treasury.token, "data": call})
    node.await_receipt(sent)
    node.rpc("anvil_stopImpersonatingAccount", owner)
    node.rpc("anvil_setNonce", owner, "0x0")


def test_funds_that_are_gone_once_it_has_a_nonce_open_another_round(treasury: Treasury) -> None:
    transfer = treasury.order()
    step(transfer)
    spend_elsewhere(treasury)
    treasury.start = treasury.node.head() + 1
    ended = treasury.finish(transfer)
    assert (ended.status, course_of(ended), never(treasury)) == ("reverted", Course.REVERTED, True)
    again = treasury.order(purpose_id=transfer.purpose_id)
    assert (again.round, treasury.advance(again).hindrance) == (2, "insufficient_funds")
