"""Wallets that send several calls as one: only what the issued call did counts, wherever it stands."""

from typing import Any

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from tests.live.conftest import BASE_USDC, Till
from tests.live.node import ONE_COIN, fresh_wallet

Call = tuple[str, int, str]


def _call(request: dict[str, Any]) -> Call:
    return request["to"], int(request["value"], 16), request["data"]


def _delegate(till: Till, address: str) -> Any:
    """Give an ordinary address the code of a smart account, as EIP-7702 does."""
    till.node.place("SmartAccount", address)
    return till.node.contract("SmartAccount", address)


def _send_batch(till: Till, calls: list[Call]) -> str:
    account = _delegate(till, till.payer.address)
    data = account.encode_abi("execute", args=[calls])
    return till.node.send(till.payer, {"to": till.payer.address, "value": "0x0", "data": data}, gas=500_000)


def _payment(till: Till, to: str, units: int) -> Call:
    return BASE_USDC, 0, till.node.token(BASE_USDC).encode_abi("transfer", args=[to, units])


@pytest.mark.spec("Rulings C8.2")
@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_only_the_issued_call_of_a_batch_counts(till: Till, is_reported: bool) -> None:
    attempt = till.issue("25")
    issued = _call(attempt["transactions"][0]["request"])
    calls = [_payment(till, till.merchant, 7_000_000), issued, _payment(till, till.merchant, 25_000_000)]
    tx_hash = _send_batch(till, calls)
    if is_reported:
        till.report(attempt, tx_hash)
    assert till.finish()["status"] == "settled"
    assert (till.credited(), till.held()) == ([25_000_000], 57_000_000)
    credit = till.leg().credits.get()
    assert (credit.tx_hash, credit.kind, credit.position) == (tx_hash, "log", "1")


@pytest.mark.spec("Rulings C8.2")
def test_two_intents_in_one_batch_get_their_own_parts(till: Till) -> None:
    first = till.issue("25")
    other = Till(api=till.api, node=till.node, payer=till.payer, merchant=till.merchant)
    second = other.issue("25")
    calls = [_call(attempt["transactions"][0]["request"]) for attempt in (second, first)]
    tx_hash = _send_batch(till, calls)
    till.report(first, tx_hash)
    other.report(second, tx_hash)
    assert [till.finish()["status"], other.finish()["status"]] == ["settled", "settled"]
    assert [one.leg().credits.get().position for one in (other, till)] == ["0", "1"]


def test_a_call_that_was_undone_inside_does_not_count(till: Till) -> None:
    attempt = till.issue("25")
    issued = _call(attempt["transactions"][0]["request"])
    data = _delegate(till, till.payer.address).encode_abi("tryAndUndo", args=[issued])
    tx_hash = till.node.send(till.payer, {"to": till.payer.address, "value": "0x0", "data": data}, gas=500_000)
    till.report(attempt, tx_hash)
    assert till.finish()["status"] == "awaiting_signature"
    assert (till.credited(), till.leg().error, till.held()) == ([], "tx_not_for_this_intent", 0)


def test_the_bytes_of_the_call_alone_are_no_payment(till: Till) -> None:
    """A stranger copies them into a call that does something else, or fails."""
    attempt = till.issue("25")
    issued = _call(attempt["transactions"][0]["request"])
    stranger = fresh_wallet()
    till.node.fund(stranger.address)
    data = _delegate(till, stranger.address).encode_abi("execute", args=[[(stranger.address, 0, issued[2])]])
    request = {"to": stranger.address, "value": "0x0", "data": data}
    till.report(attempt, till.node.send(stranger, request, gas=500_000))
    assert till.finish()["status"] == "awaiting_signature"
    assert till.leg().error == "tx_not_for_this_intent"
    failing = _delegate(till, stranger.address).encode_abi("execute", args=[[issued]])
    till.report(attempt, till.node.send(stranger, {**request, "data": failing}, gas=500_000))
    assert till.finish()["status"] == "awaiting_signature"
    till.node.send(till.payer, attempt["transactions"][0]["request"], gas=500_000)
    assert till.finish()["status"] == "settled"


def test_native_coin_inside_a_batch_settles(till: Till) -> None:
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    issued = _call(attempt["transactions"][0]["request"])
    tx_hash = _send_batch(till, [(till.merchant, 5, "0x"), issued])
    till.report(attempt, tx_hash)
    assert till.finish()["status"] == "settled"
    assert till.credited() == [ONE_COIN // 100]
    assert till.node.balance(EVM_NATIVE_ADDRESS, till.merchant) == ONE_COIN // 100 + 5
