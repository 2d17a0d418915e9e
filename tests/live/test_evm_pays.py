"""The whole way on EVM chains: from the door through a real node to the database, whatever token and wallet."""

from collections.abc import Callable
from typing import Any

import pytest

from chains.models import ChainReader
from chains.registry import EVM_NATIVE_ADDRESS
from localnet.nodes import ONE_COIN, fresh_wallet, running
from payments.models import Credit
from tests.conftest import ApiClient
from tests.live.evm_till import BASE_USDC, BNB_USDC, Till
from webhooks.models import Event


def test_a_reported_payment_settles(till: Till) -> None:
    attempt = till.issue("25")
    [unsigned] = attempt["transactions"]
    assert (unsigned["family"], unsigned["chain"], unsigned["chain_id"]) == ("evm", "base", 8453)
    assert (unsigned["request"]["to"], unsigned["request"]["value"]) == (till.token, "0x0")
    tx_hash = till.node.send(till.payer, unsigned["request"])
    till.report(attempt, tx_hash)
    assert till.sweep()["status"] == "executing"
    till.node.mine(8)
    settled = till.sweep()
    assert (settled["status"], till.held(), till.credited()) == ("settled", 25_000_000, [25_000_000])
    assert till.passed() == ["created", "requires_payment", "quoted", "awaiting_signature", "executing", "settled"]
    assert till.told() == ["created", "quoted", "executing", "settled"]
    [leg] = till.api.get(f"/payment-intents/{till.intent['id']}/transactions").body["data"]
    assert (leg["kind"], leg["provider"], leg["status"]) == ("transfer", "direct", "confirmed")
    assert (leg["tx_hash"], leg["destination_tx_hash"]) == (tx_hash, tx_hash)
    assert (leg["amount"], leg["to_amount"], leg["payer_address"]) == ("25", "25", till.payer.address)
    assert leg["block_number"] == till.node.await_receipt(tx_hash)["blockNumber"]
    credit = Credit.objects.get()
    assert (credit.network, credit.chain, credit.tx_hash, credit.kind) == ("localnet", "base", tx_hash, "log")
    assert (credit.sender, credit.recipient, credit.token_address) == (till.payer.address, till.merchant, till.token)
    event = Event.objects.get(type="payment_intent.settled")
    assert (str(event.resource_id), event.mode) == (till.intent["id"], "live")


def test_a_payment_is_found_however_long_the_page_stays_closed(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several rounds of the reader are needed, each of a few bounded ranges."""
    for name, bound in (("chains.reader.evm.WIDEST", 10), ("payments.services.reading.WIDEST", 10)):
        monkeypatch.setattr(name, bound)
    monkeypatch.setattr("chains.reader.evm.MOST_RANGES", 4)
    attempt = till.issue("12.34")
    till.node.mine(60)
    tx_hash = till.pay(attempt)
    till.node.mine(8)
    assert till.sweep()["status"] == "awaiting_signature"
    reader, start = ChainReader.objects.get(chain="base", lane="logs"), till.leg().start_block
    assert start is not None
    assert (reader.read_to or 0) < start + 60
    assert (till.sweep(4)["status"], till.credited(), till.held()) == ("settled", [12_340_000], 12_340_000)
    assert (till.leg().tx_hash, till.leg().destination_tx_hash) == (tx_hash, tx_hash)


def test_what_the_wallet_holds_is_read_from_the_chain(till: Till) -> None:
    tokens = till.open("25").connect()
    usdc = next(token for token in tokens if token["token_address"] == till.token)
    ether = next(token for token in tokens if token["token_address"] == EVM_NATIVE_ADDRESS)
    assert (usdc["balance"], usdc["balance_usd"], usdc["sufficient"]) == ("1000.00", "1000.00", True)
    assert (usdc["pay_amount"], usdc["fee_usd"], usdc["recommended"]) == ("25.00", "0.00", True)
    assert (ether["balance"], ether["sufficient"]) == ("1.00", False)
    assert ether["reason"] == "No way leads from this token to the merchant right now."


def test_eighteen_decimals_settle_when_the_chain_calls_them_final(
    live_api: ApiClient, nodes: Callable[..., None], prices: None
) -> None:
    """On BNB Chain, where a block is called final two blocks later."""
    with running(56, "--slots-in-an-epoch", "1") as node:
        node.place("TestToken", BNB_USDC)
        nodes("bnb", node.url)
        till = Till(api=live_api, node=node, chain="bnb", token=BNB_USDC)
        till.endow(100 * 10**18)
        till.issue_and_pay("25.01")
        for _ in range(20):
            final = int(node.web3.eth.get_block("finalized")["number"])
            assert till.sweep()["status"] == "executing"
            included = till.leg().block_number
            assert included is not None
            if final + 1 == included:
                break
            node.mine()
        node.mine()
        assert (till.sweep()["status"], till.held()) == ("settled", 25_010_000_000_000_000_000)
        assert till.credited() == [25_010_000_000_000_000_000]


@pytest.mark.parametrize("is_reported", [True, False], ids=["reported", "found"])
def test_the_native_coin_settles(till: Till, is_reported: bool) -> None:
    """As much without the tag is not this payment."""
    till.token, till.symbol = EVM_NATIVE_ADDRESS, "ETH"
    attempt = till.issue("25")
    request = attempt["transactions"][0]["request"]
    assert (request["to"], request["value"]) == (till.merchant, hex(ONE_COIN // 100))
    for data, status, credited in (("0x", "awaiting_signature", []), (request["data"], "settled", [ONE_COIN // 100])):
        tx_hash = till.node.send(till.payer, {**request, "data": data})
        if is_reported:
            till.report(attempt, tx_hash)
        assert (till.finish()["status"], till.credited()) == (status, credited)
    assert (till.held(), till.leg().tx_hash) == (ONE_COIN // 50, tx_hash)


def test_a_token_that_keeps_a_part_is_credited_by_what_arrived(
    live_api: ApiClient, nodes: Callable[..., None], prices: None
) -> None:
    """A Base whose dollar keeps one per cent of each transfer."""
    with running(8453) as node:
        node.place("FeeToken", BASE_USDC)
        nodes("base", node.url)
        till = Till(api=live_api, node=node)
        till.endow()
        till.issue_and_pay("25")
        assert (till.finish()["status"], till.credited()) == ("partially_filled", [till.held()])
        assert 0 < till.held() < 25_000_000
        assert till.told() == ["created", "quoted", "executing", "partially_filled"]


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
    assert (till.finish()["status"], till.credited(), till.held()) == ("settled", [25_000_000], 57_000_000)
    credit = till.leg().credits.get()
    assert (credit.tx_hash, credit.kind, credit.position) == (tx_hash, "log", "+1")
    till.token, till.symbol, till.merchant = EVM_NATIVE_ADDRESS, "ETH", fresh_wallet().address
    attempt = till.issue("25")
    tx_hash = _send_batch(till, [(till.merchant, 5, "0x"), _call(attempt["transactions"][0]["request"])])
    till.report(attempt, tx_hash)
    paid = ONE_COIN // 100
    assert (till.finish()["status"], till.credited(), till.held()) == ("settled", [paid], paid + 5)


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
    assert [one.leg().credits.get().position for one in (other, till)] == ["+0", "+1"]


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
    assert (till.finish()["status"], till.leg().error) == ("awaiting_signature", "tx_not_for_this_intent")
    failing = _delegate(till, stranger.address).encode_abi("execute", args=[[issued]])
    till.report(attempt, till.node.send(stranger, {**request, "data": failing}, gas=500_000))
    assert till.finish()["status"] == "awaiting_signature"
    till.node.send(till.payer, attempt["transactions"][0]["request"], gas=500_000)
    assert till.finish()["status"] == "settled"
