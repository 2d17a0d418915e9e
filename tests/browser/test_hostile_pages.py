"""Wallets that announce themselves with every trick there is: nothing runs, none hides an honest one."""

import unicodedata
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Visit
from tests.browser.hosts import until
from tests.browser.payer import live_intent, part
from tests.journeys.programs import Embedded

ANNOUNCEMENTS = Path(__file__).with_name("hostile_wallets.js")
LISTED_WITHIN_MS = 300
"""Of the page's own clock. Source: experience goals, Checkout C6."""
MOST_LETTERS, MOST_OF_AN_ICON = 32, 65536
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
