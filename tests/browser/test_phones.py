"""A phone pays what a desktop shows: the desktop follows, and both go back to the shop unless somebody stays."""

import re
import time
from collections.abc import Iterator
from math import inf

import pytest
from playwright.sync_api import Browser, Page, expect

from checkout.qr import drawn
from checkout.wallet_apps import wallet_apps
from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import PATIENCE_MS, WALLETS, expect_title, new_intent, part
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

FOLLOWS_WITHIN_SECONDS = 3.0
"""Source: experience goals, Checkout C13."""
TRIES = 3
"""Why the best of them counts: with other work beside it, a machine may rest a browser for a second."""
LEAVES_AFTER_SECONDS = (3.5, 9.0)
"""About five seconds, with room for a slow machine. Source: experience goals, Checkout C17."""
NOTE_FIRST_SIGHTS = """
window.seen = {};
document.addEventListener("DOMContentLoaded", () => {
  const note = () => { seen[document.getElementById("panel")?.dataset.panel] ??= Date.now(); };
  new MutationObserver(note).observe(document, { subtree: true, attributeFilter: ["data-panel"] });
});"""
BRIDGED = 1
"""The token whose payment takes long enough to be watched."""
IS_PAID = "() => document.getElementById('status-title').textContent === 'Paid.'"
COUNTS_DOWN = "() => document.querySelector('[data-testid=leaving]').textContent === 'Returning in 2…'"


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Visit]:
    """A phone's browser, in a profile of its own."""
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    visit = visit_in(context)
    yield visit
    assert (visit.complaints, visit.violations()) == ([], [])
    context.close()


def first_sight(page: Page, panel: str) -> float:
    """When the page first showed a panel, in seconds."""
    return float(page.evaluate("panel => seen[panel]", panel)) / 1000


def expect_ways_to_a_phone(desktop: Page, phone: Page) -> None:
    """The code is this page's address; each wallet app is given it."""
    [code] = re.findall(r' d="[^"]+"', part(desktop, "qr").inner_html())
    assert code in drawn(desktop.url)
    phone.get_by_text("Open in a wallet app").tap()
    links = part(phone, "wallet-link")
    expect(links.last).to_be_visible()
    assert {one.inner_text(): one.get_attribute("href") for one in links.all()} == dict(wallet_apps(desktop.url))


def pay_on(phone: Page) -> None:
    """Tap through to the confirmation, and wait until the phone says that it is paid."""
    part(phone, "wallet-option").filter(has_text=WALLETS["evm"]).tap()
    part(phone, "token-option").nth(BRIDGED).tap(timeout=PATIENCE_MS)
    part(phone, "pay-button").tap(timeout=PATIENCE_MS)
    phone.wait_for_function(IS_PAID, polling=50, timeout=PATIENCE_MS)


def seconds_behind(desktop: Page, phone: Page) -> float:
    """How late the desktop shows that the payment is under way, or that it is paid."""
    pay_on(phone)
    paid_on_phone = time.monotonic()
    desktop.wait_for_function(IS_PAID, polling=50, timeout=PATIENCE_MS)
    paid = time.monotonic() - paid_on_phone
    return max(paid, first_sight(desktop, "progress") - first_sight(phone, "progress"))


def test_a_desktop_follows_a_phone(visit: Visit, phone: Visit, shop: Caller) -> None:
    for opened in (visit, phone):
        opened.page.add_init_script(NOTE_FIRST_SIGHTS)
    delays: list[float] = []
    while len(delays) < TRIES and min(delays, default=inf) > FOLLOWS_WITHIN_SECONDS:
        desktop = visit.open(new_intent(shop)["checkout_url"])
        delays.append(seconds_behind(desktop, phone.open(desktop.url)))
    assert min(delays) <= FOLLOWS_WITHIN_SECONDS, delays


def test_both_are_led_back_unless_somebody_stays(visit: Visit, phone: Visit, shop: Caller, service: Embedded) -> None:
    back = f"{service.base_url}/demo/?order=a%20b#thanks"
    intent = new_intent(shop, return_url=back)
    desktop = visit.open(intent["checkout_url"])
    page = phone.open(desktop.url)
    expect_ways_to_a_phone(desktop, page)
    for each in (desktop, page):
        assert part(each, "cancel-link").get_attribute("href") == back

    pay_on(page)
    paid_on_phone = time.monotonic()
    desktop.wait_for_function(IS_PAID, polling=50, timeout=PATIENCE_MS)
    paid_on_desktop = time.monotonic()
    part(desktop, "stay-button").click()

    page.wait_for_function(COUNTS_DOWN, polling=50)
    page.wait_for_url("**/demo/**")
    shortest, longest = LEAVES_AFTER_SECONDS
    assert shortest <= time.monotonic() - paid_on_phone <= longest
    assert page.url == f"{service.base_url}/demo/?order=a%20b&payment_intent={intent['id']}#thanks"
    desktop.wait_for_timeout(1000 * max(0, paid_on_desktop + longest - time.monotonic()))
    assert desktop.url == intent["checkout_url"]
    expect_title(desktop, "Paid.")
    assert (part(desktop, "leaving").count(), part(desktop, "cancel-link").is_visible()) == (0, False)
    assert part(desktop, "return-button").is_visible()
