"""An agent wants to act in live mode: the person proves again who is there, and what it may spend starts at nothing."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import visit_in
from tests.browser.looks import SCREENS
from tests.browser.oauth import MONEY, Program, link, register
from tests.browser.people import confirm, sign_in
from tests.journeys.programs import Embedded

pytestmark = pytest.mark.exhaustive


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
