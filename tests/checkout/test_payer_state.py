"""GET /checkout/{id}/state: all that the page draws, at any moment, in few statements and never half of a quote."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection

from payments.services.advance import sweep_due
from tests.checkout.test_every_status import STATE
from tests.conftest import ApiClient
from tests.meanwhile import changed_after
from tests.payments.payer import EVM_WALLET, SOLANA_WALLET, Payer
from tests.payments.world import World, create, pay

TOKEN = {
    *("chain", "chain_name", "token_address", "symbol", "name", "balance", "balance_usd", "sufficient", "pay_amount"),
    *("pay_usd", "fee_usd", "gas_usd", "duration_sec", "recommended", "reason", "reason_code"),
}
CHAINS = {"evm": {"ethereum", "base", "arbitrum", "optimism", "polygon", "bnb"}, "solana": {"solana"}}
NOT_COUNTED = ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT")
Begun = tuple[Payer, Callable[[], object]]
"""A payer before the change, and the change."""


@pytest.mark.spec("Rulings B1.4")
@pytest.mark.spec("Poll with ETag")
def test_a_fresh_state_is_whole_and_not_sent_again_unchanged(world: World, api: ApiClient) -> None:
    intent = create(api, reference="INV 17", return_url="https://shop.example/thanks")
    payer = Payer.of(intent)
    first = payer.send("GET", "/state")
    assert first.headers["Cache-Control"] == "no-store"
    assert first.body.keys() == STATE
    assert first.body.pop("message").keys() == {"code", "happened", "money", "next"}
    assert first.body == {
        "id": intent["id"],
        **{"mode": "test", "status": "created", "terminal": False, "in_doubt": False, "last_error": None},
        **{"amount": "25.00", "currency": "USD", "merchant_name": "Corner Shop", "reference": "INV 17"},
        **{"settlement_chain": "base", "settlement_token": "USDC", "settlement_address_tail": "…000001"},
        **{"expires_at": "2026-05-04T12:30:00.000Z", "server_time": "2026-05-04T12:00:00.000Z"},
        **{"amount_received": "0.00", "amount_due": "25.00", "overpaid_usd": "0.00"},
        **{"return_url": "https://shop.example/thanks", "receipt_url": None},
        **{"wallet": None, "attempt": None, "others": {"open": 0, "furthest": None}, "legs": []},
    }
    world.wait(5)
    again = payer.send("GET", "/state", If_None_Match=first.headers["ETag"])
    assert (again.status, again.raw) == (304, b"")
    pay(api, intent)
    world.run(0.5)
    changed = payer.send("GET", "/state", If_None_Match=first.headers["ETag"])
    assert (changed.status, changed.headers["ETag"] == first.headers["ETag"]) == (200, False)


@pytest.mark.spec("Rulings B1.1")
@pytest.mark.spec("Balances in the checkout are synthesized over all chains")
@pytest.mark.parametrize(("family", "address"), [("evm", EVM_WALLET), ("solana", SOLANA_WALLET)])
def test_what_a_wallet_holds_and_what_it_signs(world: World, api: ApiClient, family: str, address: str) -> None:
    payer = Payer.of(create(api), family)
    state = payer.act("wallet", {"family": family, "address": address})
    assert state["wallet"] == {"family": family, "address": address, "status": "looking", "tokens": []}
    assert state["status"] == "requires_payment"
    tokens = payer.connect()
    assert all(set(token) == TOKEN for token in tokens)
    assert [token["recommended"] for token in tokens] == [True, *[False] * (len(tokens) - 1)]
    order = [token["sufficient"] for token in tokens]
    assert order == sorted(order, reverse=True)
    assert {token["chain"] for token in tokens} == CHAINS[family]
    chain = "polygon" if family == "evm" else "solana"
    [transaction] = payer.start(world, chain, "USDC")["transactions"]
    if family == "solana":
        assert set(transaction) == {"leg_sequence", "provider", "family", "chain", "transaction_base64"}
        assert (transaction["family"], transaction["chain"]) == ("solana", "solana")
        return
    request = transaction.pop("request")
    assert transaction.pop("provider") == "meridian"
    assert transaction == {"leg_sequence": 1, "family": "evm", "chain": "polygon", "chain_id": 137}
    assert set(request) == {"from", "to", "value", "data"}
    assert (request["from"], request["value"]) == (EVM_WALLET, "0x0")


@pytest.mark.spec("Poll with ETag")
def test_a_poll_of_the_payers_state_stays_bounded(world: World, api: ApiClient) -> None:
    payer = Payer.of(create(api))
    told = {"fresh": statements(payer)}
    payer.connect()
    told["tokens"] = statements(payer)
    payer.quote(world, "ethereum", "USDC")
    told["quoted"] = statements(payer)
    attempt = payer.start(world, "ethereum", "USDC")
    told["signing"] = statements(payer)
    payer.pay(attempt)
    world.run(1)
    told["moving"] = statements(payer)
    assert told == {"fresh": 6, "tokens": 7, "quoted": 5, "signing": 5, "moving": 7}


def statements(payer: Payer) -> int:
    """What one poll asks the database."""
    asked: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *more: Any) -> Any:
        asked.append(sql)
        return execute(sql, *more)

    with connection.execute_wrapper(note):
        payer.state()
    return sum(not sql.startswith(NOT_COUNTED) for sql in asked)


@pytest.mark.spec("Poll with ETag")
def test_a_quote_that_comes_or_goes_during_a_poll_is_whole_or_not_there(world: World, api: ApiClient) -> None:
    """Else the payer would press a button that agrees to nothing, or that is drawn anew under its finger."""

    def asked_for() -> Begun:
        payer = Payer.of(create(api))
        [token, *_] = payer.connect()
        payer.act("quote", {"chain": token["chain"], "token_address": token["token_address"]})
        return payer, sweep_due

    def quoted() -> Begun:
        payer = Payer.of(create(api))
        attempt = payer.quote(world)["id"]
        return payer, partial(payer.act, "rejected", {"attempt_id": attempt, "reason": "abandoned"})

    assert statuses_seen(asked_for) == {"quoting", "quoted"}
    assert statuses_seen(quoted) == {"quoted", "abandoned"}


def statuses_seen(begin: Callable[[], Begun]) -> set[str]:
    """The attempt's statuses in polls during which the change comes after one statement, after two, and so on."""
    seen, after, is_between = set(), 0, True
    while is_between:
        after += 1
        payer, change = begin()
        with changed_after(after, change) as asked:
            attempt = payer.state()["attempt"]
        is_between = asked.asked >= after
        if attempt["status"] == "quoted":
            figures = (attempt["parts"], attempt["terms"]["pay_base_units"], attempt["pay_at_most"])
            assert all(figures), f"after {after} statements"
        seen.add(attempt["status"])
    return seen
