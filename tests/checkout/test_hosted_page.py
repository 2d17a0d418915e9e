"""GET /checkout/{id} as a page: useful without scripts, strict about everything else."""

import re
from itertools import product
from typing import Any

import pytest
from django.http import HttpResponse

from checkout.wallet_apps import wallet_apps
from checkout.words.catalogue import opening_words, words_path
from merchants.models import Merchant
from payments.scenarios import scenarios
from tests.checkout.pages import read_page, receipt, visit
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from tests.payments.payer import EVM_WALLET, Payer, context_of
from tests.payments.statuses import intent_in
from tests.payments.world import World, create

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


def policy_of(response: HttpResponse) -> dict[str, str]:
    """The content policy, by directive."""
    parts = [part.strip().partition(" ") for part in response.headers["Content-Security-Policy"].split(";")]
    return {name: value for name, _, value in parts if name}


@pytest.mark.spec("Hosted checkout: checkout_url")
@pytest.mark.spec("Hosted checkout: useful without JavaScript")
@pytest.mark.spec("Hosted checkout: page context")
@pytest.mark.spec("Contract 21.5")
def test_the_page_says_what_matters_without_scripts_and_hands_them_what_they_need(
    world: World, api: ApiClient, merchant: Merchant, client: Any
) -> None:
    intent = create(api, amount=1234.5, reference="INV 17", return_url="https://shop.example/thanks")
    assert intent["checkout_url"].endswith(f"/checkout/{intent['id']}")
    Merchant.objects.filter(pk=merchant.pk).update(name="Corner Shop & Sons")
    before = all_rows()
    response = visit(intent["id"])
    page = read_page(response)
    told = {name: page.text(name) for name in ("merchant-name", "amount", "status-title", "reference", "payment-id")}
    assert told == {
        **{"merchant-name": "Corner Shop & Sons", "amount": "$1,234.50 USD", "status-title": "This payment is ready."},
        **{"reference": "INV 17", "payment-id": intent["id"]},
    }
    assert page.text("status-money") == "No money has moved. It is still in your wallet."
    assert page.text("status-next")
    assert page.text("settlement").startswith("USDC on Base")
    assert "…000001" in page.text("settlement")
    assert page.by_test_id["cancel-link"].attributes["href"] == "https://shop.example/thanks"
    assert page.by_test_id["qr"].attributes["role"] == "img"
    assert {address for _, address in wallet_apps(intent["checkout_url"])} <= set(page.links)
    assert all(link.startswith(("/static/", "data:image/svg+xml,")) for link in page.loaded), page.loaded
    assert [script.get("type") for script in page.scripts] == ["module", "application/json"]
    assert not any(name.startswith("on") or name == "style" for _, names in page.shape for name in names)
    assert "style" not in {tag for tag, _ in page.shape}
    context = context_of(response.content)
    payer = Payer(intent_id=intent["id"], token=context.pop("checkout_token"), browser="a" * 43)
    assert context == {
        **{"intent_id": intent["id"], "api_base": f"/api/public/v1/checkout/{intent['id']}", "state": payer.state()},
        **{"mode": "test", "locale": "en", "words": opening_words(), "words_url": words_path("en")},
    }
    for method in ("post", "put", "patch", "delete"):
        assert getattr(client, method)(f"/checkout/{intent['id']}").status_code == 405, method
    for written in (f"pi_{intent['id']}", intent["id"].replace("-", ""), intent["id"].upper()):
        assert context_of(visit(written).content)["intent_id"] == intent["id"]
    assert all_rows() == before


def test_each_wallet_app_opens_the_page_in_its_own_browser() -> None:
    page = "https%3A%2F%2Fpay.example%2Fcheckout%2F123"
    assert dict(wallet_apps("https://pay.example/checkout/123")) == {
        "MetaMask": "https://metamask.app.link/dapp/pay.example/checkout/123",
        "Base": f"https://go.cb-w.com/dapp?cb_url={page}",
        "Trust Wallet": f"https://link.trustwallet.com/open_url?coin_id=60&url={page}",
        "Rainbow": f"https://rnbwapp.com/dapp?url={page}",
        "Phantom": f"https://phantom.app/ul/browse/{page}?ref=https%3A%2F%2Fpay.example",
        "Solflare": f"https://solflare.com/ul/v1/browse/{page}?ref=https%3A%2F%2Fpay.example",
    }


def test_what_is_still_due_is_drawn(world: World, api: ApiClient) -> None:
    page = read_page(visit(intent_in(world, api, "partially_filled")["id"]))
    assert (page.text("amount-received"), page.text("amount-due")) == ("$15.00", "$10.00")
    assert page.text("leg-row").startswith("USDC on Base")


@pytest.mark.spec("Rulings B10.2")
@pytest.mark.spec("Hosted checkout: headers")
def test_headers(api: ApiClient) -> None:
    for identifier in (create(api)["id"], "nothing-here"):
        response = visit(identifier)
        assert policy_of(response) == POLICY
        expected = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"}
        expected |= {"Cross-Origin-Opener-Policy": "same-origin-allow-popups"}
        expected |= {"Content-Type": "text/html; charset=utf-8"}
        assert {name: response.headers[name] for name in expected} == expected
        assert response.headers["Referrer-Policy"] in {"no-referrer", "same-origin"}
        assert response.headers["Request-Id"].startswith("req_")
        assert not response.cookies


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
    for response, is_test in ((visit(create(api)["id"]), True), (visit(create(live_api, **LIVE)["id"]), False)):
        shown = read_page(response).by_test_id
        marks = ("test-banner" in shown, "scenario-select" in shown, "[TEST]" in response.content.decode())
        assert marks == (is_test, is_test, is_test)


@pytest.mark.spec("No personal data in public views")
def test_no_personal_data(world: World, api: ApiClient) -> None:
    personal = {"customer_email": "ann@buyer.example", "metadata": {"secret-key": "secret-value", "phone": "555-0199"}}
    intent = create(api, settlement_address=ANNS_EVM, **personal)
    payer = Payer.of(intent)
    payer.pay(payer.start(world))
    world.run(6)
    response = visit(intent["id"])
    text, kept = response.content.decode(), receipt(intent["id"]).content.decode()
    for secret in ("ann@", "buyer.example", "secret-", "555-0199", ANNS_EVM, "owner@"):
        assert secret not in text + kept
    assert EVM_WALLET not in kept
    context = context_of(response.content)
    assert context["state"]["status"] == "settled"
    stranger = Payer(intent_id=intent["id"], token=context["checkout_token"], browser="a" * 43)
    assert context["state"] == stranger.state()


LINKS_TO_NOTHING = ["x", "pi_", "5b1f6bb8-43bc-4e6e-9d3a-000000000000", "%00", "<script>alert(1)", "%F0%9F%98%80"]


def test_a_link_to_nothing(db: None) -> None:
    for identifier, look in product(LINKS_TO_NOTHING, (visit, receipt)):
        response = look(identifier)
        page = read_page(response)
        assert response.status_code == 404, identifier
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert page.text("status-title") == "There is no payment at this address."
        assert page.text("status-money") == "Nothing was taken from your wallet."
        assert page.text("status-next")
        assert "script" not in {tag for tag, _ in page.shape}
        assert "<script>" not in response.content.decode()
