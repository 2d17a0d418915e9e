"""Two tabs of one payment: one transaction is sent, whoever presses."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import choose_token, choose_wallet, expect_title, new_intent, part, press_pay
from tests.journeys.http_caller import Caller


@pytest.mark.parametrize("presses", ["both at once", pytest.param("one after the other", marks=pytest.mark.exhaustive)])
def test_two_tabs_send_one_transaction(visit: Visit, context: BrowserContext, shop: Caller, presses: str) -> None:
    intent = new_intent(shop)
    first = visit.open(intent["checkout_url"])
    choose_wallet(first, "evm")
    choose_token(first)
    expect(part(first, "pay-button")).to_be_visible()
    second = visit_in(context)
    second.open(intent["checkout_url"])
    expect(part(second.page, "pay-button")).to_be_visible()
    press_pay(first)
    if presses == "both at once":
        second.page.evaluate("document.querySelector('[data-testid=pay-button]')?.click()")  # it may be gone by now
    for page in (first, second.page):
        expect_title(page, "Paid.")
    legs = shop.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert [leg["status"] for leg in legs] == ["confirmed"]
    assert shop.get(f"/payment-intents/{intent['id']}").body["amount_received"] == "25.00"
    assert second.complaints == []
