"""Every page of the dashboard in a real browser: strict, accessible, narrow, light and dark, by keyboard alone.

The pages are those that are registered, so a new one is looked at without anybody thinking of it.
"""

import os
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page

from core.clock import now
from core.modes import Mode
from dashboard.urls import PAGES
from mcp.models import AgentRecord
from merchants.models import Role, User
from merchants.services import NewMerchant, create_merchant
from tests.browser.conftest import Visit, visit_in
from tests.browser.looks import faults, sideways
from tests.conftest import ApiClient
from tests.dashboard.places import ONLY_FORMS, actor, address, words_of
from tests.factories.payouts import failed_payout
from tests.merchants.people import OWNER, PASSWORD, add_member, add_second_factor, confirm_identity, sign_in
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, pay
from tests.refunds.stories import PAYEE, refund, settled, work
from webhooks.delivery.fan_out import fan_out
from webhooks.services import send_test_event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.exhaustive]

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
"""The driver keeps an event loop in this thread, and Django would refuse to make rows beside it."""
WIDE, PHONE, NARROWEST = 1280, 390, 320
HEIGHT = 900
PARTS = {Mode.TEST: 8, Mode.LIVE: 2}
"""In how many tests the pages are walked, so that each ends in time on a busy machine."""
CHOSEN = set(filter(None, os.environ.get("PAGES", "").split(",")))
"""The pages that somebody works on; else all are looked at."""
LONG_NAME = "Ümit & Søn’s Kitchenware Emporium of Lower Saxony"
LONG = {"amount": 876543.21, "reference": "R" * 100, "customer_email": f"{'a' * 60}@payer.example"}
ODD_ENDS = ("overpay", "bridge_refund", "in_doubt")
DAYS_OF_SALES, A_DAY = 12, 86_400
LISTEN = """
() => {
  window.reached = new Set(); window.unseen = [];
  document.addEventListener("focusin", ({ target: one }) => {
    const seen = getComputedStyle(one), place = one.getBoundingClientRect();
    const shown = seen.outlineStyle !== "none" && parseFloat(seen.outlineWidth) >= 2;
    const words = (one.getAttribute("aria-label") || one.textContent || one.name || "").trim().slice(0, 40);
    if (!window.reached.has(one) && (!shown || !place.width || !place.height)) {
      window.unseen.push(`${one.tagName} ${words}`);
    }
    window.reached.add(one);
  });
  return document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]").length
    + 4 * document.querySelectorAll("input[type=date], input[type=datetime-local], input[type=time]").length;
}
"""
UNREACHED = """
() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.type !== "hidden"
    && one.tabIndex >= 0 && !one.closest("[popover]:not(:popover-open)") && !window.reached.has(one)
    && !(one.type === "radio" && !one.checked))
  .map((one) => `${one.tagName} ${(one.textContent || one.name || "").trim().slice(0, 40)}`)
"""


def tell() -> NewMerchant:
    """The merchant, and in test mode everything that can have happened to it; in live mode one row for every page."""
    with time_machine.travel(now() - timedelta(days=DAYS_OF_SALES), tick=False) as clock:
        account = create_merchant(LONG_NAME, OWNER, PASSWORD)
        User.objects.filter(pk=account.owner.pk).update(name="Ann Owner")
        for role in set(Role) - {Role.OWNER}:
            add_member(account.merchant, f"{role}@shop.example", role)
        world, api = World(clock=clock), ApiClient(account.test.secret_key)
        hook = {"url": "https://shop.example/webhooks/causeway", "events": ["*"]}
        endpoint = api.post("/webhook-endpoints", hook).body["id"]
        for day in range(DAYS_OF_SALES - 2):
            pay(api, create(api, amount=20 + 17 * (day % 5), reference=f"order-{day}"))
            world.run(10)
            world.wait(A_DAY - 10)
        for scenario in ODD_ENDS:
            pay(api, create(api, **LONG, metadata={"order_id": "A-1042", "gift": True}), scenario)
        world.run(10)
        for destination in ({"destination": PAYEE}, {}):
            refund(api, settled(world, api), 25, reason="The lid was cracked", **destination)
        work(world, 8)
        failed_payout(create(api, reference="payout-failed")["id"])
        for status in STORIES:
            intent_in(world, api, status, return_url="https://shop.example/thanks")
        fan_out()
        send_test_event(actor(account, Mode.TEST), endpoint, "ping")
    common = {"merchant_id": account.merchant.pk, "mode": "test", "user_id": account.owner.pk, "action": "call"}
    for outcome, code in (("denied", "limit_exceeded"), ("ok", "")):
        told = {"tool": "create_refund", "client_name": "Shopkeeper", "arguments": {"amount_usd": "5"}}
        AgentRecord.objects.create(**common, **told, outcome=outcome, code=code)
    return account


def addresses(account: NewMerchant, mode: Mode, part: int) -> Iterator[tuple[str, str]]:
    """A part of the pages by name and path. Why one by one: the next page's row may take the place of this one's."""
    if not part:
        yield "home", f"/dashboard/{mode}/"
    for page in [page for page in PAGES if page.name in (CHOSEN or {page.name})][part :: PARTS[mode]]:
        yield page.name, address(page, words_of(page, account, mode), mode)


def is_a_page(client: Client, path: str) -> bool:
    """Whether a browser draws it: not a file, not an answer to a script, not only the target of a form."""
    answer = client.get(path)
    answer.close()  # a file that is not read on counts as being written
    drawn = answer.headers.get("Content-Type", "").startswith("text/html")
    return drawn and "attachment" not in answer.headers.get("Content-Disposition", "") and answer.status_code != 405


def enter(context: BrowserContext, base_url: str) -> Client:
    session = sign_in(OWNER)
    confirm_identity(session)
    add_second_factor(OWNER)
    cookie = session.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": base_url}])
    return session


def faults_of(visit: Visit, name: str, mode: Mode) -> Iterator[str]:
    """Everything that is asked of one page, on one load of it."""
    page = visit.page
    if not page.title().startswith(f"[{mode.upper()}] "):
        yield f"title: {page.title()}"
    if (found := page.locator("h1").count()) != 1:
        yield f"{found} first headings"
    for width in (NARROWEST, PHONE):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        yield from sideways(page)
    visit.picture(f"{name}-{PHONE}")
    page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    if mode == Mode.TEST:  # live pages are the same templates
        yield from in_both_colours(visit, name)
        yield from by_keyboard(page)
    yield from (*visit.complaints, *visit.violations())
    visit.complaints.clear()


def in_both_colours(visit: Visit, name: str) -> Iterator[str]:
    """Accessible in light, and with enough contrast in dark too."""
    yield from faults(visit.page)
    visit.picture(f"{name}-light")
    visit.page.emulate_media(color_scheme="dark")
    for fault in Axe().run(visit.page, options={"runOnly": ["color-contrast"]}).response["violations"]:
        yield f"dark: {fault['id']}: {[node['target'] for node in fault['nodes']]}"
    visit.picture(f"{name}-dark")
    visit.page.emulate_media(color_scheme="light")


def by_keyboard(page: Page) -> Iterator[str]:
    """Go through the page with the Tab key: each stop must be seen, and no control may be left out."""
    for _ in range(page.evaluate(LISTEN) + 2):
        page.keyboard.press("Tab")
    yield from (f"focus is not seen on {stop}" for stop in page.evaluate("window.unseen"))
    yield from (f"not reached by keyboard: {control}" for control in page.evaluate(UNREACHED))


@pytest.mark.parametrize(("mode", "part"), [(mode, part) for mode in Mode for part in range(PARTS[mode])])
def test_every_page(mode: Mode, part: int, chromium: Browser, live_server: Any) -> None:
    account = tell()
    context = chromium.new_context(viewport={"width": WIDE, "height": HEIGHT}, reduced_motion="reduce")
    session, visit, found = enter(context, live_server.url), visit_in(context), {}
    for name, path in addresses(account, mode, part):
        if name in ONLY_FORMS or not is_a_page(session, path):
            continue
        visit.open(f"{live_server.url}{path}")
        found[name] = list(faults_of(visit, f"{mode}-{name}", mode))
    context.close()
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    assert CHOSEN or len(found) > len(PAGES) // PARTS[mode] // 2
