"""Payments on the dashboard, in a real browser: found by a transaction hash, read, narrowed, cancelled."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.payer import LOOK_SECONDS, new_intent, pay_without_page, settled_intent, until
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded
from tests.machine import wait_until


@pytest.fixture
def dashboard(service: Embedded) -> str:
    """Where the pages of test mode are."""
    return f"{service.base_url}/dashboard/test"


def test_a_payment_is_found_by_its_hash_and_read(owner: Visit, dashboard: str, shop: Caller) -> None:
    paid, page = settled_intent(shop), owner.page
    [leg] = shop.get(f"/payment-intents/{paid}/transactions").body["data"]
    owner.open(f"{dashboard}/search/")
    owner.look("payments-search")
    page.get_by_label("Look for").fill(f" {leg['tx_hash']} ")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url(f"**/payments/{paid}/")
    owner.look("payments-paid")
    page.get_by_role("link", name="Tries and routes").click()
    for summary in page.get_by_test_id("timeline").locator("summary").all():
        summary.click()
    owner.look("payments-routes")


@pytest.mark.exhaustive
def test_the_list_fits_what_is_long(owner: Visit, dashboard: str, shop: Caller) -> None:
    long = {"amount": 876543.21, "reference": "R" * 100, "customer_email": f"{'a' * 60}@payer.example"}
    doubtful = new_intent(shop, "in_doubt", **long)["id"]
    pay_without_page(shop, doubtful)
    until(shop, f"/payment-intents/{doubtful}", "executing", hurry=False)

    def is_in_doubt() -> bool:
        owner.open(f"{dashboard}/payments/?status=executing")
        return owner.page.get_by_text("Outcome unknown").count() > 0

    wait_until(is_in_doubt, "the doubt", poll=LOOK_SECONDS)
    owner.look("payments-long")


@pytest.mark.exhaustive
def test_the_list_tells_what_makes_no_sense(owner: Visit, dashboard: str) -> None:
    owner.open(f"{dashboard}/payments/")
    owner.look("payments-list")
    owner.open(f"{dashboard}/payments/?status=settled&amount_gte=x")
    expect(owner.page.get_by_role("alert")).to_contain_text("Write an amount in dollars")
    owner.forgive("status of 400")
    owner.look("payments-fault")


def test_a_payment_with_hostile_words_is_found_and_cancelled(owner: Visit, dashboard: str, shop: Caller) -> None:
    metadata = {"order_id": "A-1042", "note": "<script>alert(1)</script>\u202e", "long": "x" * 4000}
    fresh = new_intent(shop, reference="Order 77", customer_email="ann@payer.example", metadata=metadata)["id"]
    page = owner.page
    owner.open(f"{dashboard}/search/?q=Order+77")
    if "/search/" in page.url:
        page.locator("main a:has(bdi)").first.click()
    owner.look("payments-open")
    owner.open(f"{dashboard}/payments/{fresh}/")
    page.get_by_role("link", name="Cancel", exact=True).click()
    owner.look("payments-cancel")
    page.get_by_role("button", name="Cancel the payment").click()
    expect(page.get_by_test_id("payment-status")).to_have_text("Cancelled")
