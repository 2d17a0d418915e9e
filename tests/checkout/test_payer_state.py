"""GET /checkout/{id}/state: everything the page draws, and no personal data."""

from typing import Any

import pytest

from tests.conftest import ApiClient
from tests.factories.payments import BOBS_EVM
from tests.payments.payer import EVM_WALLET, SOLANA_WALLET, Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, pay

STATE = {
    *("id", "mode", "status", "amount", "currency", "merchant_name", "settlement_chain", "settlement_token"),
    *("settlement_address_tail", "expires_at", "server_time", "amount_received", "amount_due", "overpaid_usd"),
    *(
        "in_doubt",
        "message",
        "last_error",
        "return_url",
        "receipt_url",
        "reference",
        "wallet",
        "attempt",
        "others",
        "legs",
        "terminal",
    ),
}
ATTEMPT = {
    *("id", "number", "status", "chain", "token", "token_address", "pay_at_most", "pay_at_most_usd"),
    *("merchant_gets_at_least", "merchant_token", "fee_usd", "gas_usd", "duration_sec", "refund_to"),
    *("quote_expires_at", "terms", "route", "routes", "transactions", "parts", "total_usd"),
}
LEG = {
    *(
        "sequence",
        "own",
        "kind",
        "provider",
        "chain",
        "chain_name",
        "to_chain",
        "token",
        "to_token",
        "amount_usd",
        "status",
    ),
    *("own", "to_chain_name", "tx_hash", "explorer_url", "destination_tx_hash", "destination_explorer_url"),
    *("submitted_at", "confirmed_at", "typical_seconds", "note_code", "note"),
}
TOKEN = {
    *("chain", "chain_name", "token_address", "symbol", "name", "balance", "balance_usd", "sufficient", "pay_amount"),
    *("pay_usd", "fee_usd", "gas_usd", "duration_sec", "recommended", "reason", "reason_code"),
}
CHAINS = {"evm": {"ethereum", "base", "arbitrum", "optimism", "polygon", "bnb"}, "solana": {"solana"}}
TERMINAL = {"settled", "failed", "expired", "cancelled", "refunded"}


def of(intent: dict[str, Any]) -> dict[str, Any]:
    """The state of an intent."""
    return Payer.of(intent).state()


def test_the_state_of_a_fresh_intent(world: World, api: ApiClient) -> None:
    intent = create(api, reference="INV 17", return_url="https://shop.example/thanks")
    state = of(intent)
    assert state.pop("message").keys() == {"code", "happened", "money", "next"}
    assert state == {
        "id": intent["id"],
        "mode": "test",
        "status": "created",
        "amount": "25.00",
        "currency": "USD",
        "merchant_name": "Corner Shop",
        "settlement_chain": "base",
        "settlement_token": "USDC",
        "settlement_address_tail": "…000001",
        "expires_at": "2026-05-04T12:30:00.000Z",
        "server_time": "2026-05-04T12:00:00.000Z",
        "amount_received": "0.00",
        "amount_due": "25.00",
        "overpaid_usd": "0.00",
        "in_doubt": False,
        "last_error": None,
        "return_url": "https://shop.example/thanks",
        "receipt_url": None,
        "reference": "INV 17",
        "wallet": None,
        "attempt": None,
        "others": {"open": 0, "furthest": None},
        "legs": [],
        "terminal": False,
    }


@pytest.mark.parametrize("status", STORIES)
def test_exact_keys_in_every_status(world: World, api: ApiClient, status: str) -> None:
    personal = {"customer_email": "ann@buyer.example", "metadata": {"secret-key": "secret-value"}}
    intent = intent_in(world, api, status, settlement_address=BOBS_EVM, **personal)
    reply = Payer.of(intent).send("GET", "/state")
    state = reply.body
    assert set(state) == STATE
    assert state["terminal"] is (status in TERMINAL)
    assert all(state["message"][part] for part in ("code", "happened", "money", "next"))
    for name in ("amount", "amount_received", "amount_due", "overpaid_usd"):
        assert state[name] == intent[name]
    for leg in state["legs"]:
        assert set(leg) == LEG
    if state["attempt"] is not None:
        assert set(state["attempt"]) == ATTEMPT
        assert bool(state["attempt"]["transactions"]) is (status == "awaiting_signature")
    for secret in ("ann@", "buyer.example", "secret", intent["settlement_address"]):
        assert secret not in reply.raw.decode()


@pytest.mark.spec("Rulings B1.1")
@pytest.mark.parametrize(("family", "address"), [("evm", EVM_WALLET), ("solana", SOLANA_WALLET)])
def test_a_wallet(world: World, api: ApiClient, family: str, address: str) -> None:
    payer = Payer.of(create(api), family)
    state = payer.act("wallet", {"family": family, "address": address})
    assert state["wallet"] == {"family": family, "address": address, "status": "looking", "tokens": []}
    assert state["status"] == "requires_payment"
    tokens = payer.connect()
    assert tokens
    assert all(set(token) == TOKEN for token in tokens)
    assert [token["recommended"] for token in tokens] == [True, *[False] * (len(tokens) - 1)]
    order = [token["sufficient"] for token in tokens]
    assert order == sorted(order, reverse=True)
    chains = {token["chain"] for token in tokens}
    assert chains <= (
        {"solana"} if family == "solana" else {"ethereum", "base", "arbitrum", "optimism", "polygon", "bnb"}
    )


@pytest.mark.spec("Balances in the checkout are synthesized over all chains")
def test_all_seven_chains_hold_something(world: World, api: ApiClient) -> None:
    intent = create(api)
    evm = {token["chain"] for token in Payer.of(intent).connect()}
    solana = {token["chain"] for token in Payer.of(intent, "solana").connect()}
    assert (evm, solana) == (CHAINS["evm"], CHAINS["solana"])


def test_what_an_evm_wallet_signs(world: World, api: ApiClient) -> None:
    attempt = Payer.of(create(api)).start(world, "polygon", "USDC")
    [transaction] = attempt["transactions"]
    request = transaction.pop("request")
    assert transaction.pop("provider") == "meridian"
    assert transaction == {"leg_sequence": 1, "family": "evm", "chain": "polygon", "chain_id": 137}
    assert set(request) == {"from", "to", "value", "data"}
    assert (request["from"], request["value"]) == (EVM_WALLET, "0x0")


def test_what_a_solana_wallet_signs(world: World, api: ApiClient) -> None:
    attempt = Payer.of(create(api), "solana").start(world, "solana", "USDC")
    [transaction] = attempt["transactions"]
    assert set(transaction) == {"leg_sequence", "provider", "family", "chain", "transaction_base64"}
    assert (transaction["family"], transaction["chain"]) == ("solana", "solana")


def test_a_leg_says_where_it_goes(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    payer.pay(payer.start(world, "ethereum", "USDC"))
    world.run(1)
    [leg] = payer.state()["legs"]
    exact = {
        "sequence": 1,
        "own": True,
        "kind": "bridge",
        "chain": "ethereum",
        "chain_name": "Ethereum",
        "to_chain": "base",
        "to_chain_name": "Base",
        "token": "USDC",
        "to_token": "USDC",
        "amount_usd": 25,
        "submitted_at": "2026-05-04T12:00:00.000Z",
        "destination_tx_hash": None,
    }
    assert {name: leg[name] for name in exact} == exact
    world.run(4)
    assert payer.state()["legs"][0]["destination_tx_hash"]


@pytest.mark.spec("Rulings B1.4")
@pytest.mark.spec("Poll with ETag")
def test_an_unchanged_state_is_not_sent_again(world: World, api: ApiClient) -> None:
    intent = create(api)
    payer = Payer.of(intent)
    first = payer.send("GET", "/state")
    assert first.headers["Cache-Control"] == "no-store"
    world.wait(5)
    again = payer.send("GET", "/state", If_None_Match=first.headers["ETag"])
    assert (again.status, again.raw) == (304, b"")
    pay(api, intent)
    world.run(0.5)
    changed = payer.send("GET", "/state", If_None_Match=first.headers["ETag"])
    assert (changed.status, changed.headers["ETag"] == first.headers["ETag"]) == (200, False)
