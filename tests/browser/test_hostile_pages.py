"""Hostile texts on the dashboard in a real browser: nothing runs, nothing breaks out of its place."""

import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Dialog, Page, Request, expect

from tests.browser.conftest import Visit
from tests.browser.hosts import until
from tests.browser.payer import live_intent, part
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


ANNOUNCEMENTS = Path(__file__).with_name("hostile_wallets.js")
LISTED_WITHIN_MS = 300
"""Of the page's own clock. Source: experience goals, Checkout C6."""
MOST_WALLETS, MOST_LETTERS, MOST_OF_AN_ICON = 24, 32, 65536
LISTED = {
    *("Honest wallet", "Silent wallet", "Rdns number", "Rdns long", "Twice", "Frozen"),
    *("Icon script", "Icon page", "Icon live", "Icon object"),
    *("Honest Sol", "Sol https", "Sol huge", "Sol garbage", "Sol twice", "Sol frozen"),
    *("<script>window.ran=1</script>", "<img src=x onerror=window.ran=1>", "ylf ti  tella w", "W" * 31 + "…", "?"),
}
"""Names as they are shown: what cannot be seen or turns the line is taken out."""
OFFERS = """() => [...document.querySelectorAll("[data-testid=wallet-option]")].map((one) => ({
  name: one.querySelector("strong").textContent,
  icon: one.querySelector("img")?.src ?? "",
  inside: one.querySelectorAll("script, [onerror]").length,
}))"""


def test_hostile_announcements_are_harmless(visit: Visit, service: Embedded) -> None:
    """In live mode: in test mode no announced wallet may be pressed."""
    requests: list[Request] = []
    visit.page.on("request", lambda request: requests.append(request))  # noqa: PLW0108 - the driver takes no built-in
    visit.page.add_init_script(path=ANNOUNCEMENTS)
    visit.page.clock.install(time=0)
    visit.page.clock.pause_at(1)
    page = visit.open(live_intent(service)["checkout_url"])
    expect_honest_ones_at_once(page)
    names = expect_clean(page)
    assert set(names) >= LISTED
    assert len(names) == len(LISTED) + 1, "one name stands for a wallet of each kind, all others for one"
    page.evaluate("flood()")
    names = expect_clean(page)
    assert set(names) >= LISTED
    assert len(names) == MOST_WALLETS

    page.get_by_role("button", name="Silent wallet").click()
    until(page, "asked.silent")
    page.get_by_role("button", name="Honest wallet").click()
    expect(part(page, "panel")).to_contain_text("0xA1A1…a1a1")
    assert page.evaluate("asked") == {"silent": ["eth_requestAccounts"], "honest": ["eth_requestAccounts"]}
    assert page.evaluate("window.ran") is None
    places = {urlsplit(one.url).netloc for one in requests if not one.url.startswith("data:")}
    assert places == {urlsplit(service.base_url).netloc}


def expect_honest_ones_at_once(page: Page) -> None:
    """Both are shown while hardly any time has passed for the page, whoever else is silent."""
    page.clock.run_for(LISTED_WITHIN_MS)
    for name in ("Honest wallet", "Honest Sol"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    page.clock.resume()


def expect_clean(page: Page) -> list[str]:
    """One short plain line each, with an image that carries itself or a letter; the names."""
    listed = page.evaluate(OFFERS)
    names: list[str] = [one["name"] for one in listed]
    assert all(len(name) <= MOST_LETTERS for name in names)
    assert not [name for name in names if any(unicodedata.category(letter).startswith("C") for letter in name)]
    assert {one["inside"] for one in listed} == {0}
    icons = [one["icon"] for one in listed if one["icon"]]
    assert [icon[:40] for icon in icons if not icon.startswith("data:image/") or len(icon) > MOST_OF_AN_ICON] == []
    return names
