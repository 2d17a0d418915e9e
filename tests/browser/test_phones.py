"""A phone pays what a desktop shows: the desktop follows, and both go back to the shop unless somebody stays."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from checkout.qr import drawn
from checkout.views.page import wallet_apps
from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import WALLETS, expect_title, new_intent, part, until
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded
from tests.machine import wait_until

BRIDGED = 1
"""The token whose payment takes long enough to be watched."""
KEEP_WHAT_IT_COUNTS = """
document.addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
  const counted = JSON.parse(sessionStorage.counted ?? "[]");
  const said = document.querySelector("[data-testid=leaving]")?.textContent;
  if (said && said !== counted.at(-1)) sessionStorage.counted = JSON.stringify([...counted, said]);
}).observe(document, { subtree: true, childList: true, characterData: true }));"""
MINUTE_MS = 60_000


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Visit]:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    visit = visit_in(context)
    yield visit
    visit.is_quiet()
    context.close()


def expect_ways_to_a_phone(desktop: Page, phone: Page) -> None:
    """The code is this page's address; each wallet app is given it."""
    [code] = re.findall(r' d="[^"]+"', part(desktop, "qr").inner_html())
    assert code in drawn(desktop.url)
    phone.get_by_text("Open in a wallet app").tap()
    links = part(phone, "wallet-link")
    expect(links.last).to_be_visible()
    assert {one.inner_text(): one.get_attribute("href") for one in links.all()} == dict(wallet_apps(desktop.url))


def is_about_to_leave(desktop: Page) -> bool:
    """Whether a desktop whose clock stands saw the payment and counts down, after a second more by that clock."""
    desktop.clock.run_for(1000)
    return part(desktop, "stay-button").count() == 1


def test_both_are_led_back_unless_somebody_stays(visit: Visit, phone: Visit, shop: Caller, service: Embedded) -> None:
    """The desktop follows what the phone does; how soon is the pause between its questions, tests/frontend/poll."""
    back = f"{service.base_url}/demo/?order=a%20b#thanks"
    intent = new_intent(shop, return_url=back)
    visit.page.clock.install()
    phone.page.add_init_script(KEEP_WHAT_IT_COUNTS)
    desktop = visit.open(intent["checkout_url"])
    page = phone.open(desktop.url)
    expect_ways_to_a_phone(desktop, page)
    for each in (desktop, page):
        assert part(each, "cancel-link").get_attribute("href") == back
    part(page, "wallet-option").filter(has_text=WALLETS["evm"]).tap()
    part(page, "token-option").nth(BRIDGED).tap()
    desktop.clock.pause_at(desktop.evaluate("Date.now() / 1000 + 1"))  # it leaves by its own clock, and asks by it
    part(page, "pay-button").tap()
    wait_until(lambda: is_about_to_leave(desktop), "the desktop that follows the phone")
    part(desktop, "stay-button").click()
    until(shop, f"/payment-intents/{intent['id']}", "settled")
    expect_title(desktop, "Paid.")
    page.wait_for_url("**/demo/**")
    assert page.evaluate("JSON.parse(sessionStorage.counted)") == [f"Returning in {left}…" for left in (5, 4, 3, 2, 1)]
    assert page.url == f"{service.base_url}/demo/?order=a%20b&payment_intent={intent['id']}#thanks"

    left: list[str] = []

    def stay_here(route: Route) -> None:
        left.append(route.request.url)
        route.abort()

    desktop.route("**/demo/**", stay_here)
    desktop.clock.run_for(MINUTE_MS)
    expect_title(desktop, "Paid.")
    assert (left, desktop.url) == ([], intent["checkout_url"])
    assert (part(desktop, "leaving").count(), part(desktop, "cancel-link").is_visible()) == (0, False)
    assert part(desktop, "return-button").is_visible()
