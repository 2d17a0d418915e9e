"""What is asked before a nonce is taken: nothing that fails here uses one, and what was missing can be mended."""

from collections.abc import Callable

import pytest

from chains.models import SigningAccount
from chains.rails.evm.nonces import MOST_IN_FLIGHT
from chains.transfers import Course, course_of
from core.money import BaseUnits, usd
from tests.live.conftest import BASE_USDC
from tests.live.money_out.treasury import BLOCKS_HELD, GOING, STOPPED, Treasury, never, once
from tests.live.node import DevChain


def nonce_of(treasury: Treasury) -> int | None:
    treasury.account.refresh_from_db()
    return treasury.account.next_nonce


def test_without_funds_it_waits_until_there_are_some(opened: Callable[..., Treasury]) -> None:
    treasury = opened(endowed=False)
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.hindrance, course_of(seen)) == ("new", "insufficient_funds", Course.UNSENT)
    treasury.node.mint(treasury.token, treasury.key.address, treasury.units(25))
    seen = treasury.advance(transfer)
    assert (seen.status, seen.hindrance, course_of(seen)) == ("new", "insufficient_gas", Course.UNSENT)
    assert nonce_of(treasury) is None
    treasury.node.fund(treasury.key.address)
    assert once(treasury, treasury.finish(transfer))
    assert treasury.used_nonces() == [0]


def test_native_coin_must_pay_for_its_gas_too(opened: Callable[..., Treasury]) -> None:
    treasury = opened("base ether", endowed=False)
    transfer = treasury.order(2)
    treasury.node.fund(treasury.key.address, treasury.units(1))
    assert treasury.advance(transfer).hindrance == "insufficient_funds"
    treasury.node.fund(treasury.key.address, treasury.units(2))
    assert treasury.advance(transfer).hindrance == "insufficient_gas"
    treasury.node.fund(treasury.key.address, treasury.units(3))
    assert once(treasury, treasury.finish(transfer), 2)


def test_so_many_are_under_way_and_no_more(treasury: Treasury) -> None:
    treasury.node.rpc(*BLOCKS_HELD)
    transfers = [treasury.order(1) for _ in range(MOST_IN_FLIGHT + 1)]
    seen = [treasury.advance(transfer) for transfer in transfers]
    assert [one.status for one in seen] == ["broadcast"] * MOST_IN_FLIGHT + ["new"]
    assert (seen[-1].hindrance, course_of(seen[-1]), seen[-1].nonce) == ("signer_busy", Course.WAITING, None)
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
    assert (treasury.advance(other).status, treasury.advance(other).hindrance) == ("new", "signer_busy")
    treasury.settle()
    assert treasury.advance(first).status == "paid"
    assert treasury.advance(other).hindrance == "insufficient_funds"
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


@pytest.fixture
def odd_token(out_node: DevChain) -> str:
    """A token that keeps a hundredth of what is moved."""
    token = "0x7E57000000000000000000000000000000000Fee"
    out_node.place("FeeToken", token)
    return out_node.web3.to_checksum_address(token)


def test_a_token_that_keeps_a_part_is_refused(treasury: Treasury, odd_token: str) -> None:
    treasury.node.mint(odd_token, treasury.key.address, treasury.units(100))
    seen = treasury.advance(treasury.order(token_address=odd_token))
    assert (seen.status, seen.failure, nonce_of(treasury)) == ("failed", "chain_rejected", None)


def test_a_paused_token_fails_before_it_takes_a_nonce(treasury: Treasury, paused: Callable[[bool], None]) -> None:
    paused(STOPPED)
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.failure, nonce_of(treasury)) == ("failed", "chain_rejected", None)
    paused(GOING)
    again = treasury.order(purpose_id=transfer.purpose_id)
    assert (again.round, once(treasury, treasury.finish(again))) == (2, True)


def test_above_the_cap_nothing_is_sent(treasury: Treasury) -> None:
    SigningAccount.objects.filter(pk=treasury.account.pk).update(cap_per_transfer_usd=usd("24.99"))
    seen = treasury.advance(treasury.order())
    assert (seen.status, seen.failure, nonce_of(treasury)) == ("failed", "cap_exceeded", None)
    assert never(treasury)


def test_dear_gas_is_waited_out(treasury: Treasury) -> None:
    treasury.node.rpc("anvil_setNextBlockBaseFeePerGas", hex(20 * 10**9))
    treasury.node.mine()
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.hindrance, course_of(seen)) == ("new", "fee_above_cap", Course.WAITING)
    treasury.node.rpc("anvil_setNextBlockBaseFeePerGas", hex(10**7))
    treasury.node.mine()
    assert once(treasury, treasury.finish(transfer))


def test_without_its_key_it_takes_no_nonce(treasury: Treasury) -> None:
    SigningAccount.objects.filter(pk=treasury.account.pk).update(key_reference="lost")
    transfer = treasury.order()
    seen = treasury.advance(transfer)
    assert (seen.status, seen.hindrance, nonce_of(treasury)) == ("new", "signer_unavailable", None)
    SigningAccount.objects.filter(pk=treasury.account.pk).update(key_reference=treasury.name)
    assert once(treasury, treasury.finish(transfer))


def test_rows_of_another_network_are_not_touched(treasury: Treasury) -> None:
    transfer = treasury.order(network="mainnet")
    seen = treasury.advance(transfer)
    assert (seen.status, seen.hindrance, treasury.sent()) == ("new", "chain_unavailable", [])


def test_the_amount_is_exact_to_the_last_unit(opened: Callable[..., Treasury]) -> None:
    treasury = opened("bnb USDC")
    odd = BaseUnits(123_456_789_012_345_678_901)
    transfer = treasury.order(base_units=odd)
    assert treasury.finish(transfer).status == "paid"
    assert (treasury.landed(), treasury.held()) == ([odd], odd)
