"""One service and one browser for all journeys, and a page that notices every complaint of the browser."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from scripts.service_process import free_port
from tests.journeys.http_caller import Caller
from tests.journeys.programs import ROOT, Embedded, embedded

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
REPORT_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""
FORGIVEN_WITHIN_SECONDS = 10
SCREENSHOTS = ROOT / ".local" / "screenshots"


expect.set_options(timeout=20_000)
"""Why so patient: two browsers, two services and their workers share two cores."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that no test is left out of the browser set by mistake."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@dataclass
class Visit:
    """A page and what the browser complained about while it was open."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def open(self, url: str) -> Page:
        """Go there."""
        self.page.goto(url)
        return self.page

    def violations(self) -> list[str]:
        """Reports of the content policy on the current page and in its frames."""
        found: list[str] = [each for frame in self.page.frames for each in frame.evaluate("window.violations ?? []")]
        return found

    def forgive(self, words: str) -> None:
        """Wait until the browser has complained of this, as it should, and forget it.

        Why wait: a complaint may come later than what the page shows.
        """
        deadline = time.monotonic() + FORGIVEN_WITHIN_SECONDS
        while not any(words in one for one in self.complaints):
            assert time.monotonic() < deadline, f"no complaint of {words!r} among {self.complaints}"
            self.page.wait_for_timeout(20)
        self.complaints[:] = [one for one in self.complaints if words not in one]

    def picture(self, name: str) -> None:
        """Keep a picture of the whole page for people to look at."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """The whole service on the embedded default."""
    with embedded(tmp_path_factory.mktemp("service"), free_port(), RATE_LIMIT_SCALE="1000") as running:
        yield running


@pytest.fixture(scope="session")
def shop(service: Embedded) -> Caller:
    """The demo merchant's test key."""
    return service.merchant()


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
    """A fresh browser profile."""
    context = chromium.new_context(viewport={"width": 1100, "height": 900})
    yield context
    context.close()


@pytest.fixture
def visit(context: BrowserContext) -> Iterator[Visit]:
    """A page; at the end of the test the browser must have had nothing to complain about."""
    visit = visit_in(context)
    yield visit
    assert visit.complaints == []
    assert visit.violations() == []


def visit_in(context: BrowserContext) -> Visit:
    """A new page that collects console errors, page errors and policy reports."""
    visit = Visit(page=context.new_page())
    visit.page.add_init_script(REPORT_VIOLATIONS)
    visit.page.on("console", lambda message: _note(visit, message))
    visit.page.on("pageerror", lambda error: visit.complaints.append(f"page error: {error}"))
    return visit


def _note(visit: Visit, message: Any) -> None:
    if message.type in {"error", "warning"}:
        visit.complaints.append(f"{message.type}: {message.text}")
