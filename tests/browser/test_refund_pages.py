"""Money back in a real browser: made in two clicks, given an address on the dashboard, claimed by its payer."""

from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import expect_title, new_intent, part, pay
from tests.browser.test_consent import sign_in
from tests.browser.test_look import demo_file, faults
from tests.journeys.http_caller import Caller, eventually
from tests.journeys.programs import Embedded

PAYEE = "0x52908400098527886E0F7030069857D2E4169EE7"
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 900}},
    "390": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}


def settled(shop: Caller) -> str:
    """An intent over 25 dollars that the payer without a browser paid."""
    intent: str = new_intent(shop)["id"]
    assert shop.post(f"/test-helpers/payment-intents/{intent}/pay", {}).status == 200
    wait_until_settled(shop, intent)
    return intent


def wait_until_settled(shop: Caller, intent: str) -> None:
    """Until everything arrived for good."""
    eventually(
        lambda: shop.get(f"/payment-intents/{intent}").body["status"] == "settled" or None, 60, "the intent settles"
    )


def waiting(shop: Caller, intent: str, amount: float = 25) -> str:
    """A refund without an address."""
    answer = shop.post("/refunds", {"intent_id": intent, "amount_usd": amount, "reason": "Wrong size"})
    assert answer.body["failure_reason"] == "missing_destination", answer.raw
    made: str = answer.body["id"]
    return made


def wait_until_paid(shop: Caller, refund: str) -> None:
    """Until its payer has the money."""
    eventually(lambda: shop.get(f"/refunds/{refund}").body["status"] == "paid" or None, 60, "the refund is paid")


def prove_identity(page: Page, service: Embedded) -> None:
    """Say again who sits there, where the page asks."""
    page.get_by_label("Password").fill(demo_file(service)["merchant_password"])
    page.get_by_role("button", name="Confirm").click()


def look(page: Page, visit: Visit, name: str) -> list[str]:
    """A picture, and what is wrong with the page."""
    visit.picture(name)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
    return faults(page)


@pytest.mark.parametrize("size", LOOKS)
def test_a_missing_address_is_found_fixed_and_paid(
    size: str, chromium: Browser, service: Embedded, shop: Caller
) -> None:
    context = chromium.new_context(**LOOKS[size])
    visit = visit_in(context)
    refund = waiting(shop, settled(shop))
    page = visit.open(f"{service.base_url}/dashboard/test/refunds/")
    sign_in(page, service)
    row = part(page, "needing-row").filter(has=page.locator(f"a[href*='{refund}']"))
    expect(row).to_contain_text("Wrong size")
    found = {"queue": look(page, visit, f"refunds-queue-{size}")}
    row.get_by_role("link", name="Ask the payer").click()
    expect(page.get_by_text(f"/claim/{refund}").first).to_be_visible()
    found["ask"] = look(page, visit, f"refund-ask-{size}")
    page.go_back()
    row.get_by_role("link", name="Use the paying wallet").click()
    prove_identity(page, service)
    expect(page.get_by_label("The payer told me")).to_be_visible()
    found["address"] = look(page, visit, f"refund-address-{size}")
    page.get_by_label("The payer told me").check()
    page.get_by_role("button", name="there").click()
    expect(page.get_by_text("The refund now goes to that address.")).to_be_visible()
    wait_until_paid(shop, refund)
    page.reload()
    expect(part(page, "refund-status")).to_have_text("Paid")
    found["paid"] = look(page, visit, f"refund-paid-{size}")
    assert {name: bad for name, bad in found.items() if bad} == {}
    assert (visit.complaints, visit.violations()) == ([], [])
    context.close()


@pytest.mark.parametrize("size", LOOKS)
def test_two_clicks_send_money_back(size: str, chromium: Browser, service: Embedded, shop: Caller) -> None:
    context = chromium.new_context(**LOOKS[size])
    visit = visit_in(context)
    intent = settled(shop)
    page = visit.open(f"{service.base_url}/dashboard/test/payments/{intent}/")
    sign_in(page, service)
    page.get_by_role("link", name="Refund", exact=True).click()
    prove_identity(page, service)
    page.get_by_label("Amount in US dollars").fill("10.50")
    page.get_by_label("Reason, for the payer").fill("Wrong size")
    page.get_by_label("The payer’s address").fill(PAYEE)
    found = {"form": look(page, visit, f"refund-new-{size}")}
    page.get_by_role("button", name="Look at it").click()
    expect(part(page, "preview")).to_contain_text("10.50 USDC")
    found["preview"] = look(page, visit, f"refund-preview-{size}")
    part(page, "send").dblclick()
    expect(page.get_by_text("is made and on its way").first).to_be_visible()
    made = shop.get(f"/refunds?payment_intent_id={intent}").body["data"]
    assert [one["amount_usd"] for one in made] == [10.5]
    wait_until_paid(shop, made[0]["id"])
    assert {name: bad for name, bad in found.items() if bad} == {}
    assert (visit.complaints, visit.violations()) == ([], [])
    context.close()


@pytest.mark.parametrize("size", LOOKS)
def test_the_wallet_that_paid_claims_its_refund(size: str, chromium: Browser, service: Embedded, shop: Caller) -> None:
    context = chromium.new_context(**LOOKS[size])
    visit = visit_in(context)
    refund = waiting(shop, settled(shop))
    page = visit.open(f"{service.base_url}/claim/{refund}")
    expect_title(page, "Your refund waits for an address.")
    found = {"open": look(page, visit, f"claim-open-{size}")}
    connect(page, "Test wallet (EVM)", "empty")
    part(page, "sign").click()
    expect(part(page, "problem")).to_contain_text("This wallet did not pay")
    found["refused"] = look(page, visit, f"claim-refused-{size}")
    part(page, "back").click()
    connect(page, "Test wallet (EVM)", "api")
    expect(part(page, "choice-wallet")).to_be_checked()
    found["choose"] = look(page, visit, f"claim-choose-{size}")
    part(page, "sign").click()
    expect(part(page, "tail")).to_have_text("…000A11", ignore_case=True)
    wait_until_paid(shop, refund)
    page.reload()
    expect_title(page, "Your refund was paid.")
    found["paid"] = look(page, visit, f"claim-paid-{size}")
    assert {name: bad for name, bad in found.items() if bad} == {}
    # The refusal was a 403, which the browser notes.
    assert [one for one in visit.complaints if "status of 403" not in one] == []
    assert visit.violations() == []
    context.close()


@pytest.mark.parametrize(("code", "refused"), [("ar", "لم تدفع هذه المحفظة"), ("de", "Diese Wallet hat nicht bezahlt")])
def test_a_claim_is_made_in_the_payers_language(
    code: str, refused: str, chromium: Browser, service: Embedded, shop: Caller
) -> None:
    """On a narrow screen, in the longest words and from right to left; only the text that is signed is English."""
    visit = visit_in(chromium.new_context(color_scheme="light", viewport={"width": 320, "height": 800}))
    refund = waiting(shop, settled(shop))
    page = visit.open(f"{service.base_url}/claim/{refund}?locale={code}")
    found = {"open": look(page, visit, f"claim-{code}-open")}
    connect(page, "Test wallet (EVM)", "empty")
    part(page, "sign").click()
    expect(part(page, "problem")).to_contain_text(refused)
    connected = look(page, visit, f"claim-{code}-refused")
    part(page, "choice-other").check()
    found |= {"refused": connected, "address": look(page, visit, f"claim-{code}-address")}
    part(page, "back").click()
    connect(page, "Test wallet (EVM)", "api")
    part(page, "sign").click()
    expect(part(page, "tail")).to_have_text("…000A11", ignore_case=True)
    wait_until_paid(shop, refund)
    assert f"locale={code}" in page.url
    assert {name: bad for name, bad in found.items() if bad} == {}
    visit.forgive("status of 403")
    visit.page.context.close()


def connect(page: Page, wallet: str, plays: str) -> None:
    """Choose what the test wallet plays, and connect it."""
    part(page, "scenario-select").select_option(plays)
    part(page, "wallet").filter(has_text=wallet).click()
    expect(part(page, "sign")).to_be_visible()


def test_a_payer_from_another_family_types_an_address(visit: Visit, service: Embedded, shop: Caller) -> None:
    made = new_intent(shop)
    page = visit.open(made["checkout_url"])
    pay(page, "solana", 1)
    wait_until_settled(shop, made["id"])
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
    wait_until_paid(shop, refund)
    visit.forgive("status of 400")


def test_without_scripts_the_claim_page_says_everything(chromium: Browser, service: Embedded, shop: Caller) -> None:
    context: BrowserContext = chromium.new_context(java_script_enabled=False)
    visit = visit_in(context)
    refund = waiting(shop, settled(shop))
    page = visit.open(f"{service.base_url}/claim/{refund}")
    expect(part(page, "usd")).to_have_text("$25.00")
    expect(part(page, "status-next")).to_be_visible()
    assert "allow JavaScript: it speaks to your wallet" in page.content()
    context.close()
