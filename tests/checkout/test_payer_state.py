"""What the payer's page draws, what anybody with the link may see, and that every door says the same in each status.

Which keys it has, and of what types, stands in tests/contract/test_output_shapes.py.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from payments.services.advance import sweep_due
from tests.checkout.pages import read_page, receipt, visit
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.meanwhile import changed_after
from tests.payments.payer import EVM_WALLET, SOLANA_WALLET, Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, pay

NOBODY = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"
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
    assert state["wallet"] == {
        "family": family,
        "address": address,
        "status": "looking",
        "tokens": [],
        "unread_chains": [],
    }
    assert state["status"] == "requires_payment"
    tokens = payer.connect()
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
    told = [statements(payer)]
    payer.connect()
    told.append(statements(payer))
    payer.pay(payer.start(world, "ethereum", "USDC"))
    world.run(1)
    versions = connection.vendor == "postgresql"  # which are asked for there; an unchanged poll asks nothing else
    assert [*told, statements(payer)] == [6 + versions, 7 + versions, 7 + versions]


def statements(payer: Payer) -> int:
    with CaptureQueriesContext(connection) as asked:
        payer.state()
    return sum(not one["sql"].startswith(NOT_COUNTED) for one in asked)


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


VIEW = {"id", "amount", "currency", "status", "settlement_chain", "settlement_token", "expires_at", "legs"}
TERMINAL = {"settled", "failed", "expired", "cancelled", "refunded"}
PERSONAL = {
    "customer_email": "ann@buyer.example",
    "metadata": {"secret-key": "secret-value"},
    "settlement_address": "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
}
FOR_THE_PAYER = {"reference": "order-17", "return_url": "https://shop.example/their-path"}


@pytest.mark.spec("Contract 9.1")
@pytest.mark.spec("CheckoutView: fields")
@pytest.mark.parametrize("status", STORIES)
def test_every_door_tells_the_same_and_nothing_personal(
    world: World, api: ApiClient, anonymous: ApiClient, status: str
) -> None:
    intent = intent_in(world, api, status, **PERSONAL, **FOR_THE_PAYER)
    payer = Payer.of(intent)
    reply = payer.send("GET", "/state")
    state = reply.body
    assert state["terminal"] is (status in TERMINAL)
    for name in ("amount", "amount_received", "amount_due", "overpaid_usd"):
        assert state[name] == intent[name]
    if state["attempt"] is not None:
        assert bool(state["attempt"]["transactions"]) is (status == "awaiting_signature")
    for secret in ("ann@", "buyer.example", "secret", "8617E340"):
        assert secret.lower() not in reply.raw.decode().lower()

    expect_pages(intent, state)
    expect_view(anonymous, intent)
    if status != "created":
        before = all_rows()
        payer.renew()
        assert all_rows() == before, "a session opens nothing but a created payment"
    assert payer.state()["status"] == status


def expect_pages(intent: dict[str, Any], state: dict[str, Any]) -> None:
    """The page and the receipt say what the state says."""
    page, kept = read_page(visit(intent["id"])), read_page(receipt(intent["id"]))
    for drawn in (page, kept):
        assert drawn.by_test_id["status"].attributes["data-status"] == intent["status"]
        said = [drawn.text(f"status-{part}") for part in ("title", "money", "next")]
        assert said == [state["message"][part] for part in ("happened", "money", "next")]
    assert ("hidden" in page.by_test_id["phone"].attributes) is state["terminal"]
    assert ("leg-row" in page.by_test_id) is bool(state["legs"])
    has_money = Decimal(state["amount_received"]) > 0
    assert ("back-to-checkout" in kept.by_test_id) is not state["terminal"]
    assert kept.text("kind") == ("Receipt" if has_money else "No receipt yet")
    assert ("received" in kept.by_test_id) is has_money


def expect_view(anonymous: ApiClient, intent: dict[str, Any]) -> None:
    """What anybody with the link is told: exactly this, and nothing of the merchant or the payer."""
    view = anonymous.get(f"/checkout/{intent['id']}")
    assert set(view.body) == VIEW
    assert {name: view.body[name] for name in VIEW - {"legs"}} == {name: intent[name] for name in VIEW - {"legs"}}
    assert all(set(leg) == {"chain", "token", "amount_usd", "status"} for leg in view.body["legs"])
    for secret in ("ann@", "secret", "8617E340", "order-17", "their-path", "0x7e57", "Corner Shop", "owner@"):
        assert secret.lower() not in view.raw.decode().lower()


@pytest.mark.spec("CheckoutView: legs")
def test_a_leg(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    intent = create(api)
    assert anonymous.get(f"/checkout/{intent['id']}").body["legs"] == []
    pay(api, intent)
    world.run(4)
    reply = anonymous.get(f"/checkout/{intent['id']}")
    assert reply.body["legs"] == [{"chain": "base", "token": "USDC", "amount_usd": 25, "status": "confirmed"}]
    assert b'"amount_usd":25.00' in reply.raw


@pytest.mark.spec("GET checkout: no authentication")
@pytest.mark.spec("Errors: 404 checkout view")
def test_forms_of_the_link_and_links_to_nothing(api: ApiClient, anonymous: ApiClient) -> None:
    identifier = create(api)["id"]
    for written in (identifier, identifier.replace("-", "")):
        assert anonymous.get(f"/checkout/{written}").body["id"] == identifier
        assert anonymous.get(f"/checkout/pi_{written}").body["id"] == identifier
    for written in ("x", "pi_", NOBODY, "%00", f"re_{identifier}", f"{identifier}%20"):
        reply = anonymous.get(f"/checkout/{written}")
        assert (reply.status, reply.body["code"]) == (404, "not_found"), written
        assert reply.body["details"] == {"resource": "payment_intent"}


@pytest.mark.spec("Contract 9.2")
@pytest.mark.spec("GET checkout: ETag and no-store")
def test_an_unchanged_view_is_not_sent_again(world: World, api: ApiClient, anonymous: ApiClient) -> None:
    intent = create(api)
    path = f"/checkout/{intent['id']}"
    first = anonymous.get(path)
    tag = first.headers["ETag"]
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    assert first.headers["Cache-Control"] == "no-store"
    world.wait(5)
    for sent in (tag, f"W/{tag}", f'"other", {tag}'):
        reply = anonymous.get(path, If_None_Match=sent)
        assert (reply.status, reply.raw, reply.headers["ETag"]) == (304, b"", tag)
        assert reply.headers["Cache-Control"] == "no-store"
    assert anonymous.get(path, If_None_Match='"other"').status == 200
    Payer.of(intent).renew()
    changed = anonymous.get(path, If_None_Match=tag)
    assert (changed.status, changed.body["status"], changed.headers["ETag"] == tag) == (200, "requires_payment", False)


@pytest.mark.spec("Contract 5.12; Contract 14.3")
@pytest.mark.spec("Publishable keys: elsewhere 401 secret_key_required")
def test_a_publishable_key_acts_nowhere_else(api: ApiClient, account: Any) -> None:
    """At every door there is: tests/authorization/test_matrix.py."""
    create(api)
    before = all_rows()
    for pair, method in product((account.test, account.live), ("GET", "POST")):
        reply = ApiClient(pair.publishable_key).send(method, "/payment-intents", {"amount": 25})
        assert_refused(reply, 401, "secret_key_required")
        assert reply.headers["WWW-Authenticate"] == "Bearer"
    assert all_rows() == before
