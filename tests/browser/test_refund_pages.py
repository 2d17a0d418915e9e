"""Money back in a real browser: made in two clicks, given an address on the dashboard, claimed by its payer."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import expect_title, new_intent, part, pay, settled_intent, until
from tests.browser.people import confirm
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7"


def waiting(shop: Caller, intent: str, amount: float = 25) -> str:
    """A refund without an address."""
    answer = shop.post("/refunds", {"intent_id": intent, "amount_usd": amount, "reason": "Wrong size"})
    assert answer.body["failure_reason"] == "missing_destination", answer.raw
    made: str = answer.body["id"]
    return made


def test_a_missing_address_is_found_fixed_and_paid(owner: Visit, service: Embedded, shop: Caller) -> None:
    refund = waiting(shop, settled_intent(shop))
    page = owner.open(f"{service.base_url}/dashboard/test/refunds/")
    row = part(page, "needing-row").filter(has=page.locator(f"a[href*='{refund}']"))
    expect(row).to_contain_text("Wrong size")
    owner.look("refunds-queue")
    row.get_by_role("link", name="Ask the payer").click()
    expect(page.get_by_text(f"/claim/{refund}").first).to_be_visible()
    owner.look("refund-ask")
    page.go_back()
    row.get_by_role("link", name="Use the paying wallet").click()
    confirm(page, service)
    expect(page.get_by_label("The payer told me")).to_be_visible()
    owner.look("refund-address")
    page.get_by_label("The payer told me").check()
    page.get_by_role("button", name="there").click()
    expect(page.get_by_text("The refund now goes to that address.")).to_be_visible()
    until(shop, f"/refunds/{refund}", "paid")
    page.reload()
    expect(part(page, "refund-status")).to_have_text("Paid")
    owner.look("refund-paid")


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
    refund = waiting(shop, settled_intent(shop))
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


@pytest.mark.exhaustive
@pytest.mark.parametrize(("code", "refused"), [("ar", "لم تدفع هذه المحفظة"), ("de", "Diese Wallet hat nicht bezahlt")])
def test_a_claim_is_made_in_the_payers_language(
    code: str, refused: str, chromium: Browser, service: Embedded, shop: Caller
) -> None:
    """On a narrow screen, in the longest words and from right to left; only the text that is signed is English."""
    visit = visit_in(chromium.new_context(color_scheme="light", viewport={"width": 320, "height": 800}), code)
    refund = waiting(shop, settled_intent(shop))
    page = visit.open(f"{service.base_url}/claim/{refund}?locale={code}")
    visit.look("claim-open")
    connect(page, "Test wallet (EVM)", "empty")
    part(page, "sign").click()
    expect(part(page, "problem")).to_contain_text(refused)
    visit.forgive("status of 403")
    visit.look("claim-refused")
    part(page, "choice-other").check()
    visit.look("claim-address")
    part(page, "back").click()
    connect(page, "Test wallet (EVM)", "api")
    part(page, "sign").click()
    expect(part(page, "tail")).to_have_text("…000A11", ignore_case=True)
    until(shop, f"/refunds/{refund}", "paid")
    assert f"locale={code}" in page.url
    visit.is_quiet()
    page.context.close()


def connect(page: Page, wallet: str, plays: str) -> None:
    """Choose what the test wallet plays, and connect it."""
    part(page, "scenario-select").select_option(plays)
    part(page, "wallet").filter(has_text=wallet).click()
    expect(part(page, "sign")).to_be_visible()


@pytest.mark.exhaustive
def test_a_payer_from_another_family_types_an_address(visit: Visit, service: Embedded, shop: Caller) -> None:
    made = new_intent(shop)
    page = visit.open(made["checkout_url"])
    pay(page, "solana", 1)
    until(shop, f"/payment-intents/{made['id']}", "settled")
    refund = waiting(shop, made["id"], 5)
    page = visit.open(f"{service.base_url}/claim/{refund}")
    connect(page, "Test wallet (Solana)", "approve")
    expect(part(page, "choice-wallet")).to_have_count(0)
    part(page, "destination").fill("J9tn74B4BA78YEUYLzyNp3mrXGXioseW77haZeXpmCg")
    part(page, "sign").click()
    expect(part(page, "problem")).to_contain_text("Your refund cannot be sent to this address.")
    part(page, "destination").fill(PAYEE)
    part(page, "scenario-select").select_option("decline")
    part(page, "sign").click()
    expect(part(page, "problem")).to_contain_text("You declined in your wallet. Your refund still waits.")
    part(page, "scenario-select").select_option("approve")
    part(page, "sign").click()
    expect(part(page, "tail")).to_have_text(f"…{PAYEE[-6:]}")
    until(shop, f"/refunds/{refund}", "paid")
    visit.forgive("status of 400")


def test_without_scripts_the_claim_page_says_everything(chromium: Browser, service: Embedded, shop: Caller) -> None:
    context = chromium.new_context(java_script_enabled=False)
    visit = visit_in(context)
    refund = waiting(shop, settled_intent(shop))
    page = visit.open(f"{service.base_url}/claim/{refund}")
    expect(part(page, "usd")).to_have_text("$25.00")
    expect(part(page, "status-next")).to_be_visible()
    assert "allow JavaScript: it speaks to your wallet" in page.content()
    context.close()
