"""Every page of the dashboard in a real browser: strict, accessible, narrow, light and dark, by keyboard alone.

The pages are those that are registered, so a new one is looked at without anybody thinking of it.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext

from core.modes import Mode
from merchants.panels import pages
from merchants.services import NewMerchant
from merchants.site import SITES
from tests.browser.conftest import Visit, visit_in
from tests.browser.looks import faults
from tests.dashboard.places import ONLY_FORMS, PLACES
from tests.dashboard.world import tell
from tests.merchants.people import OWNER, add_second_factor, confirm_identity, sign_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.exhaustive]

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
"""The driver keeps an event loop in this thread, and Django would refuse to make rows beside it."""
WIDE, PHONE, NARROWEST = 1280, 390, 320
HEIGHT = 900
PARTS = {Mode.TEST: 8, Mode.LIVE: 2}
"""In how many tests the pages are walked, so that each ends in time on a busy machine."""
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


@dataclass
class Walk:
    """One browser on its way through the pages, and everything that was wrong on them."""

    visit: Visit
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def note(self, name: str, fault: str) -> None:
        """Keep what is wrong on a page."""
        self.wrong.setdefault(name, []).append(fault)


def addresses(account: NewMerchant, mode: Mode, part: int) -> Iterator[tuple[str, str]]:
    """A part of the pages by name and path. Why one by one: the next page's row may take the place of this one's."""
    site = next(site for site in SITES if site.mode == mode)
    wanted = pages()[part :: PARTS[mode]]
    if not part:
        yield "home", site.url("index")
    for page in wanted:
        words = PLACES[page.name](account, mode) if "<" in page.path else None
        yield page.name, reverse(f"admin:{page.name}", current_app=site.name, kwargs=words)


def is_a_page(client: Client, path: str) -> bool:
    """Whether a browser draws it: not a file, not an answer to a script, not only the target of a form."""
    answer = client.get(path)
    drawn = answer.headers.get("Content-Type", "").startswith("text/html")
    return drawn and "attachment" not in answer.headers.get("Content-Disposition", "") and answer.status_code != 405


def enter(context: BrowserContext, base_url: str) -> Client:
    """Give the browser a session of the owner's that may see everything."""
    session = sign_in(OWNER)
    confirm_identity(session)
    add_second_factor(OWNER)
    cookie = session.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": base_url}])
    return session


def look(walk: Walk, name: str, mode: Mode) -> None:
    """Everything that is asked of one page, on one load of it."""
    page = walk.visit.page
    if not page.title().startswith(f"[{mode.upper()}] "):
        walk.note(name, f"title: {page.title()}")
    if (found := page.locator("h1").count()) != 1:
        walk.note(name, f"{found} first headings")
    on_phones(walk, name)
    if mode == Mode.TEST:  # live pages are the same templates
        in_both_colours(walk, name)
        by_keyboard(walk, name)
    for fault in [*walk.visit.complaints, *walk.visit.violations()]:
        walk.note(name, fault)
    walk.visit.complaints.clear()


def in_both_colours(walk: Walk, name: str) -> None:
    """Accessible in light, and with enough contrast in dark too."""
    page = walk.visit.page
    for fault in faults(page):
        walk.note(name, fault)
    walk.visit.picture(f"{name}-light")
    page.emulate_media(color_scheme="dark")
    for fault in Axe().run(page, options={"runOnly": ["color-contrast"]}).response["violations"]:
        walk.note(name, f"dark: {fault['id']}: {[node['target'] for node in fault['nodes']]}")
    walk.visit.picture(f"{name}-dark")
    page.emulate_media(color_scheme="light")


def on_phones(walk: Walk, name: str) -> None:
    """Nothing to scroll sideways."""
    page = walk.visit.page
    for width in (NARROWEST, PHONE):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            walk.note(name, f"{wide} wide at {width}")
    walk.visit.picture(f"{name}-{PHONE}")
    page.set_viewport_size({"width": WIDE, "height": HEIGHT})


def by_keyboard(walk: Walk, name: str) -> None:
    """Go through the page with the Tab key: each stop must be seen, and no control may be left out."""
    page = walk.visit.page
    for _ in range(page.evaluate(LISTEN) + 2):
        page.keyboard.press("Tab")
    for stop in page.evaluate("window.unseen"):
        walk.note(name, f"focus is not seen on {stop}")
    for control in page.evaluate(UNREACHED):
        walk.note(name, f"not reached by keyboard: {control}")


@pytest.mark.parametrize(("mode", "part"), [(mode, part) for mode in Mode for part in range(PARTS[mode])])
def test_every_page(mode: Mode, part: int, chromium: Browser, live_server: Any) -> None:
    account = tell()
    context = chromium.new_context(viewport={"width": WIDE, "height": HEIGHT}, reduced_motion="reduce")
    session = enter(context, live_server.url)
    walk = Walk(visit=visit_in(context))
    seen = []
    for name, path in addresses(account, mode, part):
        if name in ONLY_FORMS or not is_a_page(session, path):
            continue
        walk.visit.open(f"{live_server.url}{path}")
        look(walk, f"{mode}-{name}", mode)
        seen.append(name)
    context.close()
    assert walk.wrong == {}
    assert len(seen) > len(pages()) // PARTS[mode] // 2
