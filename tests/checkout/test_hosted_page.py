"""GET /checkout/{id} as a page: useful without scripts, strict about all else, and no merchant's words are markup."""

import re
from itertools import product
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from chains.registry import Family
from checkout.views.page import wallet_apps
from checkout.words.catalogue import opening_words, words_path
from core.modes import Mode
from merchants.models import Merchant
from payments.models import PaymentIntent
from payments.routing.lifi.provider import LIFI
from payments.routing.registry import PROVIDERS
from payments.scenarios import scenarios
from tests.checkout.pages import LIVE, read_page, receipt, visit
from tests.conftest import ApiClient
from tests.dashboard.hostile import TEXTS
from tests.factories.payments import ANNS_EVM
from tests.factories.rows import all_rows
from tests.merchants.people import text_of
from tests.payments.payer import EVM_WALLET, SOLANA_WALLET, Payer, context_of
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


def policy_of(response: HttpResponse) -> dict[str, str]:
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
    assert ("noscript", ()) in page.shape
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
        html = text_of(visit(create(api, metadata={"simulate": played})["id"]))
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
    stranger = Payer(intent_id=intent["id"], token=context["checkout_token"], browser="a" * 43)
    assert context["state"] == stranger.state()


NOBODY = "5b1f6bb8-43bc-4e6e-9d3a-000000000000"
LINKS_TO_NOTHING = ["x", "pi_", NOBODY, "%00", "<script>alert(1)", "%F0%9F%98%80"]


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


MOST_LETTERS = 60
"""Of a text that fits wherever a merchant writes."""
PAYLOADS = [
    *(text for text in TEXTS if text.isprintable() and len(text) <= MOST_LETTERS),
    *("</noscript><script>alert(1)</script>", "</select><script>alert(1)</script>", "<!--<script>"),
    *("<![CDATA[<script>alert(1)</script>]]>", "&quot;&gt;&lt;script&gt;", "＜script＞alert(1)＜/script＞"),
    *('"};alert(1);//', "\u2028alert(1)\u2029//", "\u202e<script>", "</ScRiPt ><script>alert(1)"),
]


@pytest.mark.spec("Hosted checkout: everything a merchant writes is escaped")
@pytest.mark.slow
def test_payloads_stay_text(api: ApiClient, merchant: Merchant) -> None:
    """The page keeps exactly the elements and attributes that it has with harmless words; JSON stays JSON."""
    Merchant.objects.filter(pk=merchant.pk).update(name="Harmless")
    plain = create(api, reference="Harmless", settlement_token="SAFE", settlement_chain="safe")
    harmless = read_page(visit(plain["id"]))
    for payload in PAYLOADS:
        Merchant.objects.filter(pk=merchant.pk).update(name=payload)
        words = dict.fromkeys(("reference", "settlement_token", "settlement_chain"), payload)
        intent = create(api, **words, settlement_address=f"{payload} ", metadata={payload: payload})
        assert (intent["reference"], intent["metadata"]) == (payload.strip(), {payload: payload})
        PaymentIntent.objects.filter(pk=intent["id"]).update(metadata={payload: payload, "simulate": payload})
        response = visit(intent["id"])
        page = read_page(response)
        assert page.shape == harmless.shape, payload
        assert page.by_test_id["merchant-name"].text == payload
        assert page.by_test_id["reference"].text == payload.strip()
        state = context_of(response.content)["state"]
        assert (state["reference"], state["merchant_name"]) == (payload.strip(), payload)


@pytest.mark.spec("Hosted checkout: everything a merchant writes is escaped")
def test_payloads_are_no_addresses(api: ApiClient) -> None:
    for payload, field in product(PAYLOADS, ("return_url", "customer_email")):
        assert api.post("/payment-intents", {"amount": 25, field: payload}).status == 400, payload
    tricky = "https://shop.example/?a=&quot;onclick=alert(1)&b=%22%3E%3Cscript%3E&#x22;"
    page = read_page(visit(create(api, return_url=tricky)["id"]))
    assert page.by_test_id["cancel-link"].attributes["href"] == tricky


ON_SOLANA = {"settlement_chain": "solana", "settlement_token": "USDC", "settlement_address": SOLANA_WALLET}


@pytest.fixture
def public(settings: Settings) -> Settings:
    """A service with an address of its own and a node of Solana."""
    settings.BASE_URL = "https://pay.example"
    settings.RPC_URLS = {**settings.RPC_URLS, "solana": ["https://node.example"]}
    return settings


def solana_link(intent: dict[str, Any]) -> str:
    """Where the page sends a wallet of Solana, or nothing; the picture is there exactly then."""
    link = read_page(visit(intent["id"])).by_test_id.get("solana-link")
    picture = Client().get(f"/checkout/{intent['id']}/solana-pay.svg")
    assert picture.status_code == (404 if link is None else 200)
    return "" if link is None else link.attributes["href"]


@pytest.mark.parametrize(
    ("address", "providers", "is_there"),
    [("", (LIFI,), False), ("https://lifi.example", (), False), ("https://lifi.example", (LIFI,), True)],
    ids=["no address", "not from solana", "bridged"],
)
def test_where_only_a_bridge_leads(
    live_api: ApiClient, public: Settings, monkeypatch: pytest.MonkeyPatch, address: str, providers: Any, is_there: bool
) -> None:
    public.LIFI_URL = address
    monkeypatch.setitem(PROVIDERS, (Mode.LIVE, Family.SOLANA), providers)
    assert bool(solana_link(create(live_api, **LIVE))) is is_there


@pytest.mark.spec("Rulings C15.1")
def test_where_solana_is_settled_on_and_wallets_can_fetch_it(
    public: Settings, live_api: ApiClient, api: ApiClient
) -> None:
    intent = create(live_api, **ON_SOLANA)
    address = f"https%3A%2F%2Fpay.example%2Fapi%2Fpublic%2Fv1%2Fcheckout%2F{intent['id']}%2Fsolana-pay"
    assert solana_link(intent) == f"solana:{address}"
    picture = Client().get(f"/checkout/{intent['id']}/solana-pay.svg")
    assert (picture.headers["Content-Type"], picture.headers["Cache-Control"]) == ("image/svg+xml", "no-store")
    assert picture.content.startswith(b"<svg")
    assert solana_link(create(api, **ON_SOLANA)) == ""
    public.BASE_URL = "http://localhost:8000"
    assert solana_link(intent) == ""
    public.BASE_URL, public.RPC_URLS = "https://pay.example", {**public.RPC_URLS, "solana": []}
    assert solana_link(intent) == ""
    for nobody in (NOBODY, "nonsense"):
        assert Client().get(f"/checkout/{nobody}/solana-pay.svg").status_code == 404
