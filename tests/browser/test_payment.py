"""The main job in a browser: a wallet is found, a token chosen, the payment made, and the page tells of it."""

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import choose_token, choose_wallet, expect_title, new_intent, part, pay, until
from tests.journeys.http_caller import Caller


@pytest.mark.spec("What the service does: hosted checkout")
@pytest.mark.parametrize("family", ["evm", "solana"])
def test_three_clicks_from_the_page_to_settled(visit: Visit, shop: Caller, family: str) -> None:
    intent = new_intent(shop)
    page = visit.open(intent["checkout_url"])
    choose_wallet(page, family)
    visit.picture(f"tokens-{family}")
    choose_token(page)
    expect(part(page, "quote-pay-at-most")).to_be_visible()
    expect(part(page, "quote-merchant-gets")).to_contain_text("25")
    expect(part(page, "quote-refund-to")).to_be_visible()
    visit.picture(f"quote-{family}")
    part(page, "pay-button").click()
    expect_title(page, "Paid.")
    visit.picture(f"paid-{family}")
    settled = shop.get(f"/payment-intents/{intent['id']}").body
    assert (settled["status"], settled["amount_received"], settled["amount_due"]) == ("settled", "25.00", "0.00")
    [leg] = shop.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert leg["status"] == "confirmed"


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
    part(page, "pay-button").click()
    expect_title(page, "Paid.")


@pytest.mark.exhaustive
def test_reload_and_a_second_tab_show_the_same_state(visit: Visit, context: BrowserContext, shop: Caller) -> None:
    intent = new_intent(shop, "in_doubt")
    page = visit.open(intent["checkout_url"])
    pay(page)
    expect_title(page, "We do not know yet how your payment ended.")
    page.reload()
    expect_title(page, "We do not know yet how your payment ended.")
    second = visit_in(context)
    expect_title(second.open(intent["checkout_url"]), "We do not know yet how your payment ended.")
    assert part(second.page, "pay-button").count() == 0
    assert second.complaints == []
    assert second.violations() == []


def test_a_double_click_sends_one_transaction(visit: Visit, shop: Caller) -> None:
    intent = new_intent(shop)
    page = visit.open(intent["checkout_url"])
    choose_wallet(page, "evm")
    choose_token(page)
    part(page, "pay-button").dblclick()
    expect_title(page, "Paid.")
    legs = shop.get(f"/payment-intents/{intent['id']}/transactions").body["data"]
    assert [leg["status"] for leg in legs] == ["confirmed"]
    assert shop.get(f"/payment-intents/{intent['id']}").body["overpaid_usd"] == "0.00"


@pytest.mark.exhaustive
def test_two_payers_at_once_each_see_their_own(visit: Visit, chromium: Browser, shop: Caller) -> None:
    intent = new_intent(shop)
    mine = visit.open(intent["checkout_url"])
    choose_wallet(mine, "evm")
    choose_token(mine)
    expect(part(mine, "pay-button")).to_be_visible()
    expect(part(mine, "others-note")).to_be_hidden()
    another = chromium.new_context()
    other = visit_in(another)
    theirs = other.open(intent["checkout_url"])
    expect(part(theirs, "wallet-option").first).to_be_visible()
    choose_wallet(theirs, "solana")
    choose_token(theirs)
    expect(part(theirs, "pay-button")).to_be_visible()
    for page in (mine, theirs):
        expect(part(page, "others-note")).to_be_visible()
    visit.picture("somebody-else-pays-too")
    part(mine, "pay-button").click()
    expect_title(mine, "Paid.")
    expect_title(theirs, "Paid.")
    assert shop.get(f"/payment-intents/{intent['id']}").body["amount_received"] == "25.00"
    expect(part(mine, "others-note")).to_be_hidden()
    assert (other.complaints, other.violations()) == ([], [])
    another.close()
