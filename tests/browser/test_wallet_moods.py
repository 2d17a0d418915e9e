"""A wallet that does not do what it should: the page says which way, nothing is sent, and the payer can go on."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import (
    PATIENCE_MS,
    WALLETS,
    choose_token,
    choose_wallet,
    expect_title,
    new_intent,
    part,
    pay,
    press_pay,
)
from tests.journeys.http_caller import Caller

WHILE_CONNECTING = {"locked": "locked", "pending": "request_pending"}
WHILE_SENDING = {
    "decline": "declined",
    "no_gas": "no_gas",
    "wrong_network": "wrong_network",
    "account_changed": "account_changed",
}
"""By the choice in the page's menu: the problem that the page names."""
MOODS = {**WHILE_CONNECTING, **WHILE_SENDING}
MOST_PRESSES = 6
FAMILIES = {"wrong_network": ["evm"]}
"""Why: Solana has one network."""


def is_paid_or_goes_on(page: Page) -> bool:
    """Whether it is paid; if not, press what the page offers next."""
    offers = page.locator("[data-testid=pay-button],[data-testid=token-option],[data-testid=wallet-option]")
    paid = page.get_by_text("Paid.", exact=True)
    expect(offers.locator("visible=true").or_(paid).first).to_be_visible(timeout=PATIENCE_MS)
    if paid.count():
        return True
    before = part(page, "panel").get_attribute("data-panel")
    offers.locator("visible=true").first.click(timeout=PATIENCE_MS)
    expect(part(page, "panel")).not_to_have_attribute("data-panel", str(before), timeout=PATIENCE_MS)
    return False


@pytest.mark.parametrize("mood", [*WHILE_CONNECTING, *WHILE_SENDING])
def test_each_mood_of_a_wallet_is_named_and_moves_nothing(chromium: Browser, shop: Caller, mood: str) -> None:
    """Both wallets at once. Why: each page mostly waits."""
    families = FAMILIES.get(mood, list(WALLETS))
    intents = {family: new_intent(shop) for family in families}
    visits = {family: visit_in(chromium.new_context()) for family in families}
    for family, visit in visits.items():
        come_as_far_as_the_mood_lets(visit.open(intents[family]["checkout_url"]), family, mood)
    for family, visit in visits.items():
        expect(part(visit.page, "status")).to_have_attribute("data-problem", MOODS[mood], timeout=PATIENCE_MS)
        assert all(part(visit.page, f"status-{name}").inner_text() for name in ("title", "money", "next"))
        assert shop.get(f"/payment-intents/{intents[family]['id']}").body["amount_received"] == "0.00"
        visit.picture(f"mood-{mood}-{family}")
        part(visit.page, "scenario-select").select_option("approve")
    unpaid = dict(visits)
    for _ in range(MOST_PRESSES):
        unpaid = {family: visit for family, visit in unpaid.items() if not is_paid_or_goes_on(visit.page)}
    assert unpaid == {}
    assert {family: visit.complaints + visit.violations() for family, visit in visits.items()} == dict.fromkeys(
        families, []
    )
    for visit in visits.values():
        visit.page.context.close()


def come_as_far_as_the_mood_lets(page: Page, family: str, mood: str) -> None:
    """Put the wallet into its mood and try to pay."""
    part(page, "scenario-select").select_option(mood)
    choose_wallet(page, family)
    if mood in WHILE_SENDING:
        choose_token(page)
        press_pay(page)


def test_a_network_that_the_wallet_does_not_know_is_added(visit: Visit, shop: Caller) -> None:
    page = visit.open(new_intent(shop)["checkout_url"])
    part(page, "scenario-select").select_option("unknown_network")
    pay(page)
    expect_title(page, "Paid.")


@pytest.mark.parametrize("presses", ["both at once", "one after the other"])
def test_two_tabs_send_one_transaction(visit: Visit, context: BrowserContext, shop: Caller, presses: str) -> None:
    intent = new_intent(shop)
    first = visit.open(intent["checkout_url"])
    choose_wallet(first, "evm")
    choose_token(first)
    expect(part(first, "pay-button")).to_be_visible(timeout=PATIENCE_MS)
    second = visit_in(context)
    second.open(intent["checkout_url"])
    expect(part(second.page, "pay-button")).to_be_visible(timeout=PATIENCE_MS)
    press_pay(first)
    if presses == "both at once" and part(second.page, "pay-button").is_visible():
        part(second.page, "pay-button").click(timeout=PATIENCE_MS, no_wait_after=True)
    for page in (first, second.page):
        expect_title(page, "Paid.")
    legs = shop.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert [leg["status"] for leg in legs] == ["confirmed"]
    assert shop.get(f"/payment-intents/{intent['id']}").body["amount_received"] == "25.00"
    assert second.complaints == []
