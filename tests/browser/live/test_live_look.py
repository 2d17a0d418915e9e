"""How the live page looks and weighs before a payment that needs an approval; and an agent that wants to act live."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import visit_in
from tests.browser.live.conftest import NAMES, Shop
from tests.browser.looks import SCREENS, faults
from tests.browser.oauth import MONEY, Program, link, register
from tests.browser.payer import part
from tests.browser.people import confirm, sign_in
from tests.browser.test_look import expect_light, heard_by
from tests.journeys.programs import Embedded

pytestmark = pytest.mark.exhaustive


def looked_at(shop: Shop, name: str, width: int) -> list[str]:
    """Keep a picture; what anyone could stumble over."""
    assert shop.visit is not None
    shop.visit.picture(f"live-{name}")
    assert shop.page.evaluate("document.documentElement.scrollWidth") == width
    return faults(shop.page)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_every_step_of_an_approval_and_a_payment(shop: Shop, scheme: Literal["light", "dark"], width: int) -> None:
    shop.evm.declines = {2}
    shop.give("ethereum", "USDT")
    page = shop.open("ethereum", "USDC")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = {"wallets": looked_at(shop, f"wallets-{scheme}", width)}
    part(page, "wallet-option").get_by_text(NAMES["evm"], exact=True).click()
    token = page.locator("[data-testid=token-option][data-chain=ethereum][data-symbol=USDT]")
    expect(token).to_be_visible()
    found["tokens"] = looked_at(shop, f"tokens-{scheme}", width)
    token.click()
    expect(part(page, "pay-button")).to_be_visible()
    found["quote"] = looked_at(shop, f"quote-{scheme}", width)
    page.evaluate("window.walletWaits = true")
    shop.press_pay()
    expect(part(page, "sign-hint")).to_contain_text("Step 1 of 2: allow LI.FI")
    found["approve"] = looked_at(shop, f"approve-{scheme}", width)
    page.evaluate("window.walletWaits = false")
    shop.title("You declined the payment in your wallet.")
    expect(part(page, "open-allowance")).to_be_visible()
    found["open allowance"] = looked_at(shop, f"allowance-{scheme}", width)
    assert found == dict.fromkeys(found, [])
    assert shop.complaints() == []


def test_what_a_live_payer_loads_before_a_wallet_is_asked_is_light(shop: Shop) -> None:
    answers = heard_by(shop.context)
    expect_light(shop.open(), answers)


@pytest.mark.parametrize("screen", list(SCREENS))
def test_live_asks_who_is_there_again(chromium: Browser, live_service: Embedded, program: Program, screen: str) -> None:
    """Without scripts too."""
    visit = visit_in(chromium.new_context(**SCREENS[screen], java_script_enabled=False), screen)
    client_id = register(live_service, program, "Careful Agent")
    page = visit.open(link(live_service, program, client_id, MONEY))
    sign_in(page, live_service)
    page.get_by_role("link", name="Live").click()
    expect(page.get_by_role("heading", name="Confirm it is you")).to_be_visible()
    confirm(page, live_service)
    expect(page.get_by_test_id("mode-band")).to_contain_text("LIVE")
    expect(page.get_by_label("At most per refund or payout")).to_have_value("0.00")
    visit.picture("consent-live")
    page.get_by_label("At most per refund or payout").fill("ten")
    page.get_by_role("button", name="Allow in live mode").click()
    expect(page.get_by_text("Write an amount in dollars")).to_be_visible()
    visit.picture("consent-live-error")
    page.get_by_label("At most per refund or payout").fill("10")
    page.get_by_role("button", name="Allow in live mode").click()
    expect(page).to_have_title("Agent")
    assert set(program.answers[0]) == {"code", "state", "iss"}
    page.context.close()
