"""Hostile texts on the dashboard in a real browser: nothing runs, nothing breaks out of its place."""

from typing import Any

import pytest
from playwright.sync_api import Dialog, Page

from tests.browser.conftest import Visit
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


@pytest.mark.xdist_group("hostile pages")
def test_nothing_runs_and_nothing_breaks_out(owner: Visit, service: Embedded, written: list[str]) -> None:
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    owner.page.on("dialog", note)
    for path in (*LISTS, *(f"payments/{intent}/" for intent in written)):
        owner.open(f"{service.base_url}/dashboard/test/{path}")
        assert faults_of(owner.page) == {"wider": 0, "ran": None, "handlers": 0}, path
        assert (owner.complaints, owner.violations(), dialogs) == ([], [], []), path


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
