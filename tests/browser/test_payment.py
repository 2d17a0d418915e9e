"""The main job in a browser: a wallet is found, a token chosen, the payment made, and the page tells of it."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.hosts import Host, names, told
from tests.browser.payer import choose_token, choose_wallet, expect_paid, new_intent, part, pay, press_pay, until
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded


@pytest.mark.spec("What the service does: hosted checkout")
@pytest.mark.parametrize("family", ["evm", "solana"])
def test_three_clicks_from_the_page_to_settled(visit: Visit, shop: Caller, family: str) -> None:
    """The last of them twice in a row: one transaction is sent."""
    intent = new_intent(shop)
    page = visit.open(intent["checkout_url"])
    choose_wallet(page, family)
    visit.picture(f"tokens-{family}")
    choose_token(page)
    expect(part(page, "quote-pay-at-most")).to_be_visible()
    expect(part(page, "quote-merchant-gets")).to_contain_text("25")
    expect(part(page, "quote-refund-to")).to_be_visible()
    visit.picture(f"quote-{family}")
    part(page, "pay-button").dblclick()
    expect_paid(page, shop, intent["id"])
    visit.picture(f"paid-{family}")


@pytest.mark.parametrize("family", ["evm", "solana"])
def test_three_clicks_in_the_frame_of_a_shops_strict_page_to_settled(
    visit: Visit, service: Embedded, shop: Caller, key: str, family: str
) -> None:
    intent = new_intent(shop)["id"]
    frame = Host(visit.page.context, service.base_url).open(visit.page, key, intent)
    pay(frame, family)
    expect_paid(frame, shop, intent)
    visit.picture(f"embed-{family}")
    assert names(visit.page) == ["ready", "wallet", "wallet", "quoted", "processing", "settled"]
    heard = told(visit.page)
    assert {event["intent"] for event in heard} == {intent}
    assert [event["seq"] for event in heard] == list(range(1, len(heard) + 1))


def test_declining_moves_nothing_and_the_payer_may_try_again(visit: Visit, shop: Caller) -> None:
    intent = new_intent(shop)
    page = visit.open(intent["checkout_url"])
    part(page, "scenario-select").select_option("decline")
    pay(page)
    until(shop, f"/payment-intents/{intent['id']}", "requires_payment", hurry=False)
    assert shop.get(f"/payment-intents/{intent['id']}").body["amount_received"] == "0.00"
    visit.picture("declined")
    part(page, "scenario-select").select_option("approve")
    if part(page, "wallet-option").count():
        choose_wallet(page, "evm")
    choose_token(page)
    press_pay(page)
    expect_paid(page, shop, intent["id"])


def test_two_tabs_send_one_transaction(visit: Visit, context: BrowserContext, shop: Caller) -> None:
    intent, second = new_intent(shop), visit_in(context)
    first = visit.open(intent["checkout_url"])
    choose_wallet(first, "evm")
    choose_token(first)
    other = second.open(intent["checkout_url"])
    for page in (first, other):
        expect(part(page, "pay-button")).to_be_visible()
    press_pay(first)
    other.evaluate("document.querySelector('[data-testid=pay-button]')?.click()")  # it may be gone by now
    for page in (first, other):
        expect_paid(page, shop, intent["id"])
    assert second.complaints == []
