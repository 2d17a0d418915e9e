"""The whole way in live mode: from the door through a real node to the database, and back to the merchant."""

import pytest

from chains.registry import EVM_NATIVE_ADDRESS
from payments.models import Credit
from tests.live.conftest import Till
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
    assert settled["status"] == "settled"
    assert till.held() == 25_000_000
    assert till.credited() == [25_000_000]
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


def test_a_payer_who_closes_the_page_is_found(till: Till) -> None:
    attempt = till.issue("12.34")
    tx_hash = till.node.send(till.payer, attempt["transactions"][0]["request"])
    assert till.finish()["status"] == "settled"
    assert till.held() == 12_340_000
    assert (till.leg().tx_hash, till.leg().destination_tx_hash) == (tx_hash, tx_hash)


def test_a_payment_is_found_however_long_the_page_stays_closed(till: Till, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several looks are needed, each of a few bounded ranges."""
    monkeypatch.setattr("chains.clients.evm_scan.RANGE_BLOCKS", 10)
    attempt = till.issue("25")
    till.node.mine(60)
    till.node.send(till.payer, attempt["transactions"][0]["request"])
    till.node.mine(8)
    assert till.sweep()["status"] == "awaiting_signature"
    scanned = till.leg().scanned_block
    assert scanned is not None
    assert scanned == (till.leg().start_block or 0) + 39
    assert till.sweep()["status"] == "settled"
    assert till.credited() == [25_000_000]


def test_what_the_wallet_holds_is_read_from_the_chain(till: Till) -> None:
    tokens = till.open("25").connect()
    usdc = next(token for token in tokens if token["token_address"] == till.token)
    ether = next(token for token in tokens if token["token_address"] == EVM_NATIVE_ADDRESS)
    assert (usdc["balance"], usdc["balance_usd"], usdc["sufficient"]) == ("1000.00", "1000.00", True)
    assert (usdc["pay_amount"], usdc["fee_usd"], usdc["recommended"]) == ("25.00", "0.00", True)
    assert (ether["balance"], ether["sufficient"]) == ("1.00", False)
    assert ether["reason"] == "No way leads from this token to the merchant right now."
