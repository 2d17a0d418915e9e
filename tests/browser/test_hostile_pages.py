"""Hostile texts on the dashboard in a real browser: nothing runs, nothing breaks out of its place."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page

from tests.browser.conftest import Visit, visit_in
from tests.browser.test_consent import sign_in
from tests.dashboard.hostile import MARK, TEXTS
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

LISTS = ("", "payments/", "refunds/", "events/", "requests/", "webhooks/", "search/?q=nothing")


@pytest.fixture(scope="module")
def written(shop: Caller) -> list[str]:
    """Payments whose merchant wrote hostile texts wherever the interface takes them; which there are."""
    made = [_write(shop, text) for text in TEXTS]
    taken = [intent for intent in made if intent]
    assert len(taken) >= len(TEXTS) - 5, "most of them must come in, or nothing is tested"
    return taken


def _write(shop: Caller, text: str) -> str:
    body = {"amount": 25, "reference": text[:128], "metadata": {text[:64] or "key": text, "list": [text]}}
    answer = shop.post("/payment-intents", body)
    if answer.status != 201:  # a text that cannot be stored is refused, which is as good
        assert answer.status == 400, answer.raw
        return ""
    found: str = answer.body["id"]
    return found


@pytest.fixture(params=[1280, 390], ids=["wide", "phone"])
def visit(request: pytest.FixtureRequest, chromium: Browser, service: Embedded) -> Iterator[Visit]:
    """The demo merchant, signed in."""
    context = chromium.new_context(viewport={"width": request.param, "height": 900})
    found = visit_in(context)
    found.open(f"{service.base_url}/accounts/login/")
    sign_in(found.page, service)
    found.page.wait_for_url("**/dashboard/**")
    yield found
    context.close()


def test_nothing_runs_and_nothing_breaks_out(visit: Visit, service: Embedded, written: list[str]) -> None:
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    visit.page.on("dialog", note)
    for path in (*LISTS, *(f"payments/{intent}/" for intent in written)):
        visit.open(f"{service.base_url}/dashboard/test/{path}")
        assert faults_of(visit.page) == {"wider": 0, "ran": None, "handlers": 0}, path
        assert (visit.complaints, visit.violations(), dialogs) == ([], [], []), path


def faults_of(page: Page) -> dict[str, Any]:
    """By how much the page is wider than the window, what a text ran, and how many handlers stand in its tags."""
    found: dict[str, Any] = page.evaluate(
        """(name) => ({
          wider: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
          ran: window[name] ?? null,
          handlers: [...document.querySelectorAll("*")]
            .filter((one) => one.getAttributeNames().some((attribute) => attribute.startsWith("on"))).length,
        })""",
        MARK,
    )
    return found
