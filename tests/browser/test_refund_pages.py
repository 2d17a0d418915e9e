"""Money back in a real browser: made in two clicks on the dashboard, claimed by its payer's wallet."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.payer import expect_title, part, settled_intent, until
from tests.browser.people import confirm
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7"


def test_two_clicks_send_money_back(owner: Visit, service: Embedded, shop: Caller) -> None:
    intent = settled_intent(shop)
    page = owner.open(f"{service.base_url}/dashboard/test/payments/{intent}/")
    page.get_by_role("link", name="Refund", exact=True).click()
    confirm(page, service)
    page.get_by_label("Amount in US dollars").fill("10.50")
    page.get_by_label("Reason, for the payer").fill("Wrong size")
    page.get_by_label("The payer’s address").fill(PAYEE)
    owner.look("refund-new")
    page.get_by_role("button", name="Look at it").click()
    expect(part(page, "preview")).to_contain_text("10.50 USDC")
    owner.look("refund-preview")
    part(page, "send").dblclick()
    expect(page.get_by_text("is made and on its way").first).to_be_visible()
    made = shop.get(f"/refunds?payment_intent_id={intent}").body["data"]
    assert [one["amount_usd"] for one in made] == [10.5]
    until(shop, f"/refunds/{made[0]['id']}", "paid")


def test_the_wallet_that_paid_claims_its_refund(any_screen: Visit, service: Embedded, shop: Caller) -> None:
    visit = any_screen
    answer = shop.post("/refunds", {"intent_id": settled_intent(shop), "amount_usd": 25, "reason": "Wrong size"})
    assert answer.body["failure_reason"] == "missing_destination", answer.raw
    refund = answer.body["id"]
    page = visit.open(f"{service.base_url}/claim/{refund}")
    expect_title(page, "Your refund waits for an address.")
    visit.look("claim-open")
    connect(page, "Test wallet (EVM)", "empty")
    part(page, "sign").click()
    expect(part(page, "problem")).to_contain_text("This wallet did not pay")
    visit.forgive("status of 403")
    visit.look("claim-refused")
    part(page, "back").click()
    connect(page, "Test wallet (EVM)", "api")
    expect(part(page, "choice-wallet")).to_be_checked()
    visit.look("claim-choose")
    part(page, "sign").click()
    expect(part(page, "tail")).to_have_text("…000A11", ignore_case=True)
    until(shop, f"/refunds/{refund}", "paid")
    page.reload()
    expect_title(page, "Your refund was paid.")
    visit.look("claim-paid")


def connect(page: Page, wallet: str, plays: str) -> None:
    part(page, "scenario-select").select_option(plays)
    part(page, "wallet").filter(has_text=wallet).click()
    expect(part(page, "sign")).to_be_visible()
