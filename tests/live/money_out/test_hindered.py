"""What keeps a transfer from being sent, before it has a nonce and afterwards, and how one ends that is withdrawn."""

from collections.abc import Callable

import pytest
from web3 import Web3

from chains.models import SigningAccount
from chains.rails.evm.nonces import MOST_IN_FLIGHT
from chains.transfers import Course, course_of
from core.money import BaseUnits, usd
from tests.live.evm_till import BASE_USDC
from tests.live.money_out.treasury import BLOCKS_GO, BLOCKS_HELD, GOING, STOPPED, Treasury, never, once


def nonce_of(treasury: Treasury) -> int | None:
    treasury.account.refresh_from_db()
    return treasury.account.next_nonce


def test_without_funds_it_waits_until_there_are_some(opened: Callable[..., Treasury]) -> None:
    treasury = opened(endowed=False)
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, course_of(seen)) == ("new", "insufficient_funds", Course.UNSENT)
    treasury.node.mint(treasury.token, treasury.key.address, treasury.units(25))
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, course_of(seen)) == ("new", "insufficient_gas", Course.UNSENT)
    assert nonce_of(treasury) is None
    treasury.node.fund(treasury.key.address)
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0]


def test_native_coin_must_pay_for_its_gas_too(opened: Callable[..., Treasury]) -> None:
    treasury = opened("base ether", endowed=False)
    transfer = treasury.order(2)
    treasury.node.fund(treasury.key.address, treasury.units(1))
    assert treasury.advance(transfer).blocker == "insufficient_funds"
    treasury.node.fund(treasury.key.address, treasury.units(2))
    assert treasury.advance(transfer).blocker == "insufficient_gas"
    treasury.node.fund(treasury.key.address, treasury.units(3))
    assert once(treasury, treasury.finish(transfer), 2)


def test_so_many_are_under_way_and_no_more(treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfers = [treasury.order(1) for _ in range(MOST_IN_FLIGHT + 1)]
    seen = [treasury.advance(transfer) for transfer in transfers]
    assert [one.status for one in seen] == ["broadcast"] * MOST_IN_FLIGHT + ["new"]
    assert (seen[-1].blocker, course_of(seen[-1]), seen[-1].nonce) == ("signer_busy", Course.WAITING, None)
    treasury.settle()
    for transfer in transfers:
        treasury.advance(transfer)
    treasury.settle()
    assert treasury.advance(transfers[-1]).status == "paid"
    assert treasury.used_nonces() == list(range(MOST_IN_FLIGHT + 1))
    assert treasury.landed() == [1_000_000] * (MOST_IN_FLIGHT + 1)


def test_what_is_on_its_way_is_not_spent_again(opened: Callable[..., Treasury]) -> None:
    treasury = opened(endowed=False)
    treasury.endow(40)
    treasury.node.rpc(*BLOCKS_HELD)
    first, other = treasury.order(), treasury.order()
    assert treasury.advance(first).status == "broadcast"
    assert (treasury.advance(other).status, treasury.advance(other).blocker) == ("new", "signer_busy")
    treasury.settle()
    assert (treasury.advance(first).status, treasury.advance(other).blocker) == ("paid", "insufficient_funds")
    assert treasury.landed() == [25_000_000]


LOST = {
    "the token": BASE_USDC,
    "nobody": "0x000000000000000000000000000000000000dEaD",
    "a system contract": "0x4200000000000000000000000000000000000006",
    "another spelling": "0x7E57000000000000000000000000000000000DE4",
    "a wrong checksum": "0x7e57000000000000000000000000000000000De4",
    "no address": "not an address",
}


def test_money_is_not_sent_where_it_would_be_lost(treasury: Treasury) -> None:
    for name, recipient in {**LOST, "oneself": treasury.key.address}.items():
        seen = treasury.advance(treasury.order(recipient=recipient))
        told = (seen.status, seen.failure, course_of(seen))
        assert (name, *told) == (name, "failed", "invalid_destination", Course.FAILED)
    assert (nonce_of(treasury), treasury.used_nonces()) == (None, [])


def test_a_token_that_keeps_a_part_is_refused(treasury: Treasury) -> None:
    token = Web3.to_checksum_address("0x7E57000000000000000000000000000000000Fee")
    treasury.node.place("FeeToken", token)
    treasury.node.mint(token, treasury.key.address, treasury.units(100))
    seen = treasury.advance(treasury.order(token_address=token))
    assert (seen.status, seen.failure, nonce_of(treasury)) == ("failed", "chain_rejected", None)


def test_a_paused_token_fails_before_it_takes_a_nonce(treasury: Treasury, paused: Callable[[bool], None]) -> None:
    paused(STOPPED)
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.failure, nonce_of(treasury)) == ("failed", "chain_rejected", None)
    paused(GOING)
    again = treasury.order(purpose_id=transfer.purpose_id)
    assert (again.round, once(treasury, treasury.finish(again))) == (2, True)


def test_without_its_key_on_another_network_and_above_the_cap_nothing_is_sent(treasury: Treasury) -> None:
    account = SigningAccount.objects.filter(pk=treasury.account.pk)
    account.update(key_reference="lost")
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, nonce_of(treasury)) == ("new", "signer_unavailable", None)
    account.update(key_reference=treasury.name)
    elsewhere = treasury.advance(treasury.order(network="mainnet"))
    assert (elsewhere.status, elsewhere.blocker, treasury.sent()) == ("new", "chain_unavailable", [])
    account.update(cap_per_transfer_usd=usd("24.99"))
    capped = treasury.advance(treasury.order())
    assert (capped.status, capped.failure, nonce_of(treasury), never(treasury)) == (
        "failed",
        "cap_exceeded",
        None,
        True,
    )
    account.update(cap_per_transfer_usd=usd("25"))
    assert once(treasury, treasury.finish(transfer))


def test_dear_gas_is_waited_out(treasury: Treasury) -> None:
    treasury.node.rpc("anvil_setNextBlockBaseFeePerGas", hex(20 * 10**9))
    treasury.node.mine()
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, course_of(seen)) == ("new", "fee_above_cap", Course.WAITING)
    treasury.node.rpc("anvil_setNextBlockBaseFeePerGas", hex(10**7))
    treasury.node.mine()
    assert once(treasury, treasury.finish(transfer))


def test_the_amount_is_exact_to_the_last_unit(opened: Callable[..., Treasury]) -> None:
    treasury = opened("bnb USDC")
    odd = BaseUnits(123_456_789_012_345_678_901)
    transfer = treasury.order(base_units=odd)
    assert (treasury.finish(transfer).status, treasury.landed(), treasury.held()) == ("paid", [odd], odd)


def test_before_it_has_a_nonce_it_ends_at_once(treasury: Treasury) -> None:
    transfer = treasury.order()
    assert treasury.withdraw(transfer) is True
    ended = treasury.advance(transfer)
    assert (ended.status, ended.failure, ended.nonce, treasury.sent()) == ("failed", "withdrawn", None, [])


@pytest.mark.parametrize("steps", [1, 2, 3], ids=["reserved", "signed", "broadcast"])
def test_afterwards_nothing_lands_in_its_place(treasury: Treasury, steps: int) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfer = treasury.order()
    assert treasury.step(transfer, steps) == ["reserved", "signed", "broadcast"][steps - 1]
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


def test_the_payment_may_win(treasury: Treasury) -> None:
    """It landed already; or the replacement is signed, and the payment lands all the same: that is what counts."""
    landed = treasury.order()
    assert treasury.land(landed).status == "mined"
    assert treasury.withdraw(landed) is False
    assert once(treasury, treasury.finish(landed))
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
    assert (paid.status, paid.tx_hash, paid.failure) == ("paid", payment.tx_hash, "")
    assert (treasury.landed(), treasury.used_nonces()) == ([25_000_000] * 2, [0, 1])


def test_withdrawn_and_without_gas_it_waits_for_gas(treasury: Treasury) -> None:
    transfer = treasury.order()
    treasury.step(transfer)
    treasury.withdraw(transfer)
    treasury.node.fund(treasury.key.address, 0)
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, course_of(seen)) == ("reserved", "insufficient_gas", Course.WAITING)
    treasury.node.fund(treasury.key.address)
    assert (treasury.finish(transfer).status, never(treasury), treasury.used_nonces()) == ("failed", True, [0])


def test_an_account_that_cannot_sign_now_keeps_the_nonce(treasury: Treasury) -> None:
    """It is paused, then its key is away."""
    transfer, account = treasury.order(), SigningAccount.objects.filter(pk=treasury.account.pk)
    treasury.step(transfer)
    account.update(paused_at="2026-01-01T00:00:00Z")
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, seen.nonce) == ("reserved", "signer_paused", 0)
    treasury.resume()
    account.update(key_reference="lost")
    seen = treasury.advance(transfer)
    assert (seen.status, seen.blocker, course_of(seen)) == ("reserved", "signer_unavailable", Course.WAITING)
    account.update(key_reference=treasury.name)
    assert (once(treasury, treasury.finish(transfer)), treasury.used_nonces()) == (True, [0])


def test_what_would_fail_once_it_has_a_nonce_uses_it_up_and_fails(
    treasury: Treasury, paused: Callable[[bool], None]
) -> None:
    transfer = treasury.order()
    treasury.step(transfer)
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
    treasury.step(transfer)
    spend_elsewhere(treasury)
    treasury.start = treasury.node.head() + 1
    ended = treasury.finish(transfer)
    assert (ended.status, course_of(ended), never(treasury)) == ("reverted", Course.REVERTED, True)
    again = treasury.order(purpose_id=transfer.purpose_id)
    assert (again.round, treasury.advance(again).blocker) == (2, "insufficient_funds")
