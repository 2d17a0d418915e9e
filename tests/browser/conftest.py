"""One service and one browser for all journeys, and a page that notices every complaint of the browser."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.looks import SCREENS, faults
from tests.browser.people import sign_in
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded, embedded
from tests.machine import PATIENCE_SECONDS, own_port

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
REPORT_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""
PATIENCE_MS = 1000 * PATIENCE_SECONDS
FOLDER = Path(__file__).parent

expect.set_options(timeout=PATIENCE_MS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that no test is left out of the browser set by mistake.

    Why one group of all that needs nodes: they and the service over them start once, for one worker. All others are
    handed out one by one, for what they share is started once for each worker in any case.
    """
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.browser)
        if FOLDER / "live" in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser-live"))


@dataclass
class Visit:
    """A page and what the browser complained about while it was open."""

    page: Page
    screen: str = ""
    complaints: list[str] = field(default_factory=list)

    def open(self, url: str) -> Page:
        self.page.goto(url)
        return self.page

    def violations(self) -> list[str]:
        """Reports of the content policy on the current page and in its frames."""
        found: list[str] = [each for frame in self.page.frames for each in frame.evaluate("window.violations ?? []")]
        return found

    def is_quiet(self) -> None:
        """Raises: AssertionError with what the browser complained about."""
        assert (self.complaints, self.violations()) == ([], [])

    def forgive(self, words: str) -> None:
        """Wait until the browser has complained of this, as it should, and forget it.

        Why wait: a complaint may come later than what the page shows.
        """
        while not any(words in one for one in self.complaints):
            self.page.wait_for_event("console", timeout=PATIENCE_MS)
        self.complaints[:] = [one for one in self.complaints if words not in one]

    def look(self, name: str) -> None:
        """The page must be accessible, fit, break no rule of its policy, and be worth looking at."""
        self.picture(name)
        assert faults(self.page) == [], name
        assert (self.complaints, self.violations()) == ([], []), name

    def picture(self, name: str) -> None:
        """Keep a picture of the whole page in the folder that ``LOOK_AT`` names, if somebody wants to look."""
        if folder := os.environ.get("LOOK_AT"):
            named = Path(folder) / f"{'-'.join(filter(None, (name, self.screen)))}.png"
            self.page.screenshot(path=named, full_page=True)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with embedded(tmp_path_factory.mktemp("service"), own_port(), RATE_LIMIT_SCALE="1000") as running:
        yield running


@pytest.fixture(scope="session")
def shop(service: Embedded) -> Caller:
    return service.merchant()


@pytest.fixture(scope="session")
def key(service: Embedded) -> str:
    """The demo merchant's publishable key of test mode."""
    return service.demo["test_publishable_key"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, or the one that ``CHROMIUM`` names."""
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    context = chromium.new_context(**SCREENS["light"])
    yield context
    context.close()


@pytest.fixture
def visit(context: BrowserContext) -> Iterator[Visit]:
    """A page; at the end of the test the browser must have had nothing to complain about."""
    visit = visit_in(context)
    yield visit
    visit.is_quiet()


@pytest.fixture(params=["light", pytest.param("dark-phone", marks=pytest.mark.exhaustive)])
def any_screen(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[Visit]:
    """A page as ``visit``, on a wide screen in light, and on a phone in dark."""
    context = chromium.new_context(**SCREENS[request.param])
    visit = visit_in(context, request.param)
    yield visit
    visit.is_quiet()
    context.close()


@pytest.fixture
def owner(any_screen: Visit, service: Embedded) -> Visit:
    sign_in(any_screen.open(f"{service.base_url}/accounts/login/"), service)
    return any_screen


def visit_in(context: BrowserContext, screen: str = "") -> Visit:
    """A new page that collects console errors, page errors and policy reports."""
    context.set_default_timeout(PATIENCE_MS)
    visit = Visit(page=context.new_page(), screen=screen)
    visit.page.add_init_script(REPORT_VIOLATIONS)
    visit.page.on("console", lambda message: _note(visit, message))
    visit.page.on("pageerror", lambda error: visit.complaints.append(f"page error: {error}"))
    return visit


def _note(visit: Visit, message: Any) -> None:
    if message.type in {"error", "warning"}:
        visit.complaints.append(f"{message.type}: {message.text}")
