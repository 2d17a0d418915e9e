"""GET /checkout/{id}/receipt: the payment as its payer keeps it, complete without scripts, at any moment."""

from decimal import Decimal
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from checkout.services.branding import WantedLook, set_look
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent
from refunds.models import Refund
from tests.checkout.pages import Page, read_page, visit
from tests.checkout.test_hosted_page import LINKS_TO_NOTHING, POLICY
from tests.conftest import ApiClient
from tests.factories.payments import ANNS_EVM
from tests.factories.refunds import paid_intent, paid_leg
from tests.factories.rows import all_rows
from tests.payments.payer import EVM_WALLET, Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create
from tests.refunds.stories import PAYEE, refund, settled, work


def receipt(intent: Any) -> HttpResponse:
    """The answer at the receipt's address."""
    named = intent["id"] if isinstance(intent, dict) else intent
    return Client().get(f"/checkout/{named}/receipt")  # type: ignore[return-value]  # the client's own subclass


def receipt_page(intent: Any) -> Page:
    """The receipt, parsed."""
    return read_page(receipt(intent))


@pytest.mark.parametrize("status", STORIES)
def test_every_status_is_told_as_on_the_page(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    state = Payer.of(intent).state()
    page = receipt_page(intent)
    assert page.by_test_id["status"].attributes["data-status"] == status
    said = [page.text(f"status-{part}") for part in ("title", "money", "next")]
    assert said == [state["message"][part] for part in ("happened", "money", "next")]
    assert ("back-to-checkout" in page.by_test_id) is not state["terminal"]
    has_money = Decimal(state["amount_received"]) > 0
    assert page.text("kind") == ("Receipt" if has_money else "No receipt yet")
    assert ("received" in page.by_test_id) is has_money


def test_a_paid_payment(world: World, api: ApiClient, principal: Principal) -> None:
    set_look(principal, WantedLook(display_name="Corner & Co", accent="#1f4fd1", shape="round", font="system"))
    intent = create(api, amount=1234.5, reference="INV 17", customer_email="ann@buyer.example")
    payer = Payer.of(intent)
    payer.pay(payer.start(world, "base", "USDC"))
    world.run(6)
    page = receipt_page(intent)
    assert page.text("merchant-name") == "Corner & Co"
    assert (page.text("kind"), page.text("amount")) == ("Receipt", "$1,234.50 USD")
    assert page.text("status-title") == "Paid."
    assert page.text("received") == "1,234.50 USDC on Base ($1,234.50)"
    assert page.text("paid-at").startswith("4 May 2026, 12:00:")
    assert page.text("paid-at").endswith(" UTC")
    assert (page.text("reference"), page.text("payment-id")) == ("INV 17", intent["id"])
    assert page.text("leg-row").startswith("1,234.50 USDC on Base Arrived $1,234.50 from wallet 0x7e57…0001")
    assert page.text("leg-hash").startswith("0x")
    assert page.text("receipt-url") == f"http://localhost:8000/checkout/{intent['id']}/receipt"
    assert page.by_test_id["qr"].attributes["role"] == "img"
    assert "leg-link" not in page.by_test_id  # no explorer shows play money
    assert "refunds" not in page.by_test_id
    state = payer.state()
    assert state["merchant_name"] == "Corner & Co"
    assert state["receipt_url"] == page.text("receipt-url")
    link = read_page(visit(intent["id"])).by_test_id["receipt-link"].attributes
    assert link["href"] == f"/checkout/{intent['id']}/receipt"


def test_live_legs_lead_to_their_explorers(merchant: Merchant) -> None:
    intent = paid_intent(merchant, reference="INV 18")
    arrival = "0x" + "cd" * 32
    paid_leg(intent, chain="ethereum", token="ETH", token_decimals=18, input_base_units=6_894_123_456_789_012,
             destination_tx_hash=arrival)  # fmt: skip
    page = receipt_page(str(intent.pk))
    assert page.by_test_id["leg-link"].attributes["href"] == "https://etherscan.io/tx/0x" + "ab" * 32
    assert page.by_test_id["arrival-link"].attributes["href"] == f"https://basescan.org/tx/{arrival}"
    assert page.text("leg-row").startswith("0.006894123456789012 ETH from Ethereum to Base Arrived $25.00")
    assert "test-banner" not in page.by_test_id
    assert "test-stamp" not in page.by_test_id


def test_refunds_are_told_to_their_end(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    asked = refund(api, intent, 5, reason="a secret reason")
    page = receipt_page(intent)
    assert page.text("refund-title") == "Your refund waits for an address."
    assert page.by_test_id["claim-link"].attributes["href"] == f"/claim/{asked['id']}"
    world.wait(1)
    refund(api, intent, 20, destination=PAYEE)
    assert api.post(f"/refunds/{asked['id']}/destination", {"destination": PAYEE}).status == 200
    work(world, 20)
    page = receipt_page(intent)
    assert page.text("refunds").count("Your refund was paid.") == 2
    assert page.text("refunds").startswith("5.00 USDC on Base $5.00")
    assert f"to an address ending in …{PAYEE[-6:]}" in page.text("refunds")
    assert page.text("refund-hash") == Refund.objects.get(amount_usd=20).tx_hash
    assert "claim-link" not in page.by_test_id
    text = receipt(intent).content.decode()
    assert PAYEE not in text
    assert "a secret reason" not in text


def test_a_live_refund_leads_to_its_explorer(merchant: Merchant) -> None:
    intent = paid_intent(merchant)
    tx_hash = "0x" + "ef" * 32
    facts = {"chain": "base", "token": "USDC", "token_decimals": 6, "status": "paid", "tx_hash": tx_hash}
    Refund.objects.create(
        intent=intent,
        merchant=merchant,
        mode="live",
        amount_usd=Decimal(5),
        base_units=5_000_000,
        destination=PAYEE,
        **facts,
    )
    page = receipt_page(str(intent.pk))
    assert page.by_test_id["refund-link"].attributes["href"] == f"https://basescan.org/tx/{tx_hash}"


@pytest.mark.spec("Test mode never looks like live mode")
def test_play_money_is_named_three_times(world: World, api: ApiClient) -> None:
    response = receipt(settled(world, api))
    page = read_page(response)
    assert "[TEST] Receipt: 25.00 USD to Corner Shop" in response.content.decode()
    assert page.text("test-banner") == "TEST · No real money moved. This is not a proof of any payment."
    assert page.text("test-stamp") == "TEST"


@pytest.mark.spec("No personal data in public views")
def test_no_personal_data(world: World, api: ApiClient) -> None:
    personal = {"customer_email": "ann@buyer.example", "metadata": {"secret-key": "secret-value", "phone": "555-0199"}}
    intent = create(api, settlement_address=ANNS_EVM, **personal)
    payer = Payer.of(intent)
    payer.pay(payer.start(world))
    world.run(6)
    assert receipt_page(intent).text("status-title") == "Paid."
    text = receipt(intent).content.decode()
    for secret in ("ann@", "buyer.example", "secret-", "555-0199", ANNS_EVM, EVM_WALLET, "owner@"):
        assert secret not in text


@pytest.mark.spec("Hosted checkout: headers")
def test_headers_and_elements(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    for named in (intent["id"], "nothing-here"):
        response = receipt(named)
        parts = [part.strip().partition(" ") for part in response.headers["Content-Security-Policy"].split(";")]
        assert {name: value for name, _, value in parts if name} == POLICY
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Robots-Tag"] == "noindex, nofollow"
        assert response.headers["X-Frame-Options"] == "DENY"
        assert not response.cookies
    page = receipt_page(intent)
    assert not page.scripts
    assert not any(name.startswith("on") or name == "style" for _, names in page.shape for name in names)


@pytest.mark.parametrize("identifier", LINKS_TO_NOTHING)
def test_a_link_to_nothing(identifier: str, db: None) -> None:
    response = receipt(identifier)
    assert response.status_code == 404
    assert read_page(response).text("status-title") == "There is no payment at this address."


def test_looking_changes_nothing(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    before = all_rows()
    receipt(intent)
    assert all_rows() == before
    assert PaymentIntent.objects.get(pk=intent["id"]).status == "settled"


def test_a_receipt_is_asked_for_so_often_only(api: ApiClient, settings: Any) -> None:
    intent = create(api)
    settings.RATE_LIMIT_SCALE = 0.02  # two a minute
    answers = [receipt(intent) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["Retry-After"]) >= 1
    assert read_page(answers[2]).text("status-title") == "That was too often."
