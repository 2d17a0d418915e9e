"""Payments on the dashboard, in a real browser: found by a transaction hash, read, narrowed, cancelled."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import new_intent
from tests.browser.test_agents_dashboard import settled_intent
from tests.browser.test_consent import sign_in
from tests.browser.test_look import faults
from tests.journeys.http_caller import Caller, eventually
from tests.journeys.programs import Embedded


def look(visit: Visit, name: str, scheme: str, width: int) -> None:
    """A page must be accessible, fit, and be worth looking at."""
    visit.picture(f"payments-{name}-{scheme}-{width}")
    assert faults(visit.page) == [], name
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width, name
    assert (visit.complaints, visit.violations()) == ([], []), name


@dataclass
class Merchant:
    """A merchant's browser, signed in, in one colour scheme and width."""

    visit: Visit
    base_url: str
    scheme: str
    width: int

    def go(self, path: str) -> None:
        """Open a page of test mode."""
        self.visit.page.goto(f"{self.base_url}/dashboard/test/{path}")

    def look(self, name: str) -> None:
        """A page must be accessible, fit, and be worth looking at."""
        look(self.visit, name, self.scheme, self.width)


@pytest.fixture(params=[("light", 1100), ("dark", 390)], ids=["light", "dark phone"])
def merchant(request: pytest.FixtureRequest, chromium: Browser, service: Embedded) -> Iterator[Merchant]:
    """The demo merchant, signed in."""
    scheme, width = request.param
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    visit = visit_in(context)
    visit.page.goto(f"{service.base_url}/accounts/login/")
    sign_in(visit.page, service)
    visit.page.wait_for_url("**/dashboard/**")
    yield Merchant(visit=visit, base_url=service.base_url, scheme=scheme, width=width)
    context.close()


def test_a_payment_is_found_by_its_hash_and_read(merchant: Merchant, shop: Caller) -> None:
    paid, page = settled_intent(shop), merchant.visit.page
    [leg] = shop.get(f"/payment-intents/{paid}/transactions").body["data"]
    merchant.go("search/")
    merchant.look("search")
    page.get_by_label("Look for").fill(f" {leg['tx_hash']} ")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url(f"**/payments/{paid}/")
    merchant.look("paid")
    page.get_by_role("link", name="Tries and routes").click()
    for summary in page.get_by_test_id("timeline").locator("summary").all():
        summary.click()
    merchant.look("routes")


def test_the_list_fits_what_is_long(merchant: Merchant, shop: Caller) -> None:
    long = {"amount": 876543.21, "reference": "R" * 100, "customer_email": f"{'a' * 60}@payer.example"}
    doubtful = new_intent(shop, "in_doubt", **long)["id"]
    shop.post(f"/test-helpers/payment-intents/{doubtful}/pay", {})
    eventually(lambda: shop.get(f"/payment-intents/{doubtful}").body["status"] == "executing", 20, "executing")

    def is_in_doubt() -> bool:
        merchant.go("payments/?status=executing")
        return merchant.visit.page.get_by_text("Outcome unknown").count() > 0

    eventually(is_in_doubt, 20, "the doubt")
    merchant.look("long")


def test_the_list_tells_what_makes_no_sense(merchant: Merchant) -> None:
    merchant.go("payments/")
    merchant.look("list")
    merchant.go("payments/?status=settled&amount_gte=x")
    expect(merchant.visit.page.get_by_role("alert")).to_contain_text("Write an amount in dollars")
    merchant.visit.forgive("status of 400")
    merchant.look("fault")


def test_a_payment_with_hostile_words_is_found_and_cancelled(merchant: Merchant, shop: Caller) -> None:
    metadata = {"order_id": "A-1042", "note": "<script>alert(1)</script>\u202e", "long": "x" * 4000}
    fresh = new_intent(shop, reference="Order 77", customer_email="ann@payer.example", metadata=metadata)["id"]
    page = merchant.visit.page
    merchant.go("search/?q=Order+77")
    if "/search/" in page.url:
        page.locator("main a:has(bdi)").first.click()
    merchant.look("open")
    merchant.go(f"payments/{fresh}/")
    page.get_by_role("link", name="Cancel", exact=True).click()
    merchant.look("cancel")
    page.get_by_role("button", name="Cancel the payment").click()
    expect(page.get_by_test_id("payment-status")).to_have_text("Cancelled")
