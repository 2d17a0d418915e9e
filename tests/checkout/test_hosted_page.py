"""GET /checkout/{id} as a page: useful without scripts, strict about everything else."""

import re
from typing import Any

import pytest

from checkout.wallet_apps import wallet_apps
from checkout.words.catalogue import opening_words, words_path
from merchants.models import Merchant
from payments.scenarios import scenarios
from tests.checkout.pages import read_page, visit
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from tests.payments.payer import Payer, context_of
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, pay, read

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
LIVE = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": ANNS_EVM}


@pytest.mark.spec("Hosted checkout: checkout_url")
def test_the_page_is_where_the_intent_says(api: ApiClient) -> None:
    intent = create(api)
    assert intent["checkout_url"].endswith(f"/checkout/{intent['id']}")
    response = visit(intent["id"])
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.spec("Hosted checkout: useful without JavaScript")
def test_a_reader_without_scripts_sees_what_matters(world: World, api: ApiClient) -> None:
    intent = create(api, amount=1234.5, reference="INV 17", return_url="https://shop.example/thanks")
    page = read_page(visit(intent["id"]))
    assert page.text("merchant-name") == "Corner Shop"
    assert page.text("amount") == "$1,234.50 USD"
    assert page.text("status-title") == "This payment is ready."
    assert page.text("status-money") == "No money has moved. It is still in your wallet."
    assert page.text("status-next")
    assert page.text("reference") == "INV 17"
    assert page.text("payment-id") == intent["id"]
    assert page.text("settlement").startswith("USDC on Base")
    assert "…000001" in page.text("settlement")
    assert page.by_test_id["status"].attributes["data-status"] == "created"
    assert page.by_test_id["cancel-link"].attributes["href"] == "https://shop.example/thanks"
    assert ("noscript", ()) in page.shape
    assert [tag for tag, _ in page.shape].count("svg") >= 2
    assert page.by_test_id["qr"].attributes["role"] == "img"


@pytest.mark.parametrize("status", STORIES)
def test_every_status_is_drawn(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    state = Payer.of(intent).state()
    page = read_page(visit(intent["id"]))
    assert page.by_test_id["status"].attributes["data-status"] == status
    assert page.text("status-title") == state["message"]["happened"]
    assert page.text("status-money") == state["message"]["money"]
    assert page.text("status-next") == state["message"]["next"]
    assert ("hidden" in page.by_test_id["phone"].attributes) is state["terminal"]
    assert ("leg-row" in page.by_test_id) is bool(state["legs"])


def test_what_is_still_due_is_drawn(world: World, api: ApiClient) -> None:
    page = read_page(visit(intent_in(world, api, "partially_filled")["id"]))
    assert (page.text("amount-received"), page.text("amount-due")) == ("$15.00", "$10.00")
    assert page.text("leg-row").startswith("USDC on Base")


@pytest.mark.spec("Rulings B10.2")
@pytest.mark.spec("Hosted checkout: headers")
def test_headers(api: ApiClient) -> None:
    for identifier in (create(api)["id"], "nothing-here"):
        response = visit(identifier)
        parts = [part.strip().partition(" ") for part in response.headers["Content-Security-Policy"].split(";")]
        assert {name: value for name, _, value in parts if name} == POLICY
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["X-Frame-Options"] == "DENY"
        assert response.headers["Referrer-Policy"] in {"no-referrer", "same-origin"}
        assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"
        assert response.headers["Request-Id"].startswith("req_")
        assert not response.cookies


def test_everything_comes_from_here(api: ApiClient) -> None:
    intent = create(api)
    page = read_page(visit(intent["id"]))
    apps = {address for _, address in wallet_apps(intent["checkout_url"])}
    assert apps <= set(page.links)
    assert all(link.startswith(("/static/", "data:image/svg+xml,")) for link in page.loaded), page.loaded
    assert [script.get("type") for script in page.scripts] == ["module", "application/json"]
    assert not any(name.startswith("on") or name == "style" for _, names in page.shape for name in names)
    assert "style" not in {tag for tag, _ in page.shape}


@pytest.mark.spec("Hosted checkout: page context")
def test_the_page_hands_its_scripts_what_they_need(world: World, api: ApiClient) -> None:
    intent = create(api)
    pay(api, intent)
    world.run(4)
    context = context_of(visit(intent["id"]).content)
    token = context.pop("checkout_token")
    payer = Payer(intent_id=intent["id"], token=token, browser="a" * 43)
    state = payer.state()
    assert context.pop("state") == state
    assert context == {
        "intent_id": intent["id"],
        "api_base": f"/api/public/v1/checkout/{intent['id']}",
        "mode": "test",
        "locale": "en",
        "words": opening_words(),
        "words_url": words_path("en"),
    }


@pytest.mark.spec("Test mode: scenarios in the checkout's test panel")
def test_every_scenario_stands_in_the_panel_and_the_wallets_own_is_chosen(api: ApiClient) -> None:
    offered = [name for name, scenario in scenarios().items() if scenario.for_payers]
    for played, chosen in (("settle", []), ("no_gas", ["no_gas"]), ("late", []), ("refund_fail", [])):
        html = visit(create(api, metadata={"simulate": played})["id"]).content.decode()
        values = re.findall(r'<option value="(\w+)"( selected)?>', html)
        assert sorted(value for value, _ in values) == sorted(["approve", *offered])
        assert [value for value, selected in values if selected] == chosen
        assert re.findall(r'<optgroup label="([\w ]+)">', html) == ["The wallet", "The price", "The network"]


@pytest.mark.spec("Test mode never looks like live mode")
def test_test_mode_is_named(api: ApiClient, live_api: ApiClient) -> None:
    test = visit(create(api)["id"])
    live = visit(create(live_api, **LIVE)["id"])
    assert "test-banner" in read_page(test).by_test_id
    assert "[TEST]" in test.content.decode()
    assert "test-banner" not in read_page(live).by_test_id
    assert "[TEST]" not in live.content.decode()
    assert "scenario-select" not in read_page(live).by_test_id


@pytest.mark.spec("No personal data in public views")
def test_no_personal_data(world: World, api: ApiClient) -> None:
    personal = {"customer_email": "ann@buyer.example", "metadata": {"secret-key": "secret-value", "phone": "555-0199"}}
    intent = create(api, settlement_address=ANNS_EVM, **personal)
    pay(api, intent)
    world.run(4)
    text = visit(intent["id"]).content.decode()
    for secret in ("ann@", "buyer.example", "secret-", "555-0199", ANNS_EVM, "owner@"):
        assert secret not in text


LINKS_TO_NOTHING = ["x", "pi_", "5b1f6bb8-43bc-4e6e-9d3a-000000000000", "%00", "<script>alert(1)", "%F0%9F%98%80"]


def test_a_link_to_nothing(db: None) -> None:
    for identifier in LINKS_TO_NOTHING:
        response = visit(identifier)
        page = read_page(response)
        assert response.status_code == 404, identifier
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert page.text("status-title") == "There is no payment at this address."
        assert page.text("status-money") == "Nothing was taken from your wallet."
        assert page.text("status-next")
        assert "script" not in {tag for tag, _ in page.shape}
        assert "<script>" not in response.content.decode()


def test_forms_of_the_link(api: ApiClient) -> None:
    identifier = create(api)["id"]
    for written in (f"pi_{identifier}", identifier.replace("-", ""), identifier.upper()):
        assert context_of(visit(written).content)["intent_id"] == identifier


@pytest.mark.spec("Contract 21.5")
def test_looking_changes_nothing(world: World, api: ApiClient) -> None:
    intent = create(api)
    before = all_rows()
    visit(intent["id"])
    assert all_rows() == before
    assert read(api, intent)["status"] == "created"


def test_the_page_is_read_only(api: ApiClient, client: Any) -> None:
    intent = create(api)
    before = all_rows()
    for method in ("post", "put", "patch", "delete"):
        assert getattr(client, method)(f"/checkout/{intent['id']}").status_code == 405, method
    assert all_rows() == before


def test_the_merchants_name_is_the_current_one(api: ApiClient, merchant: Merchant) -> None:
    intent = create(api)
    Merchant.objects.filter(pk=merchant.pk).update(name="Corner Shop & Sons")
    assert read_page(visit(intent["id"])).text("merchant-name") == "Corner Shop & Sons"
