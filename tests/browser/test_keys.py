"""Keys in a real browser: one is made and rolled while the old one still works, a page is allowed, all is logged."""

from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.test_consent import sign_in
from tests.browser.test_look import demo_file, faults
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded


def status(service: Embedded, key: str, method: str = "GET") -> int:
    """What the API answers to a key."""
    url = f"{service.base_url}/api/public/v1/payment-intents"
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = b'{"amount": 25}' if method == "POST" else None
    try:
        with urlopen(Request(url, body, headers)) as answer:  # noqa: S310 - under test
            return int(answer.status)
    except HTTPError as refusal:
        return refusal.code


def look(visit: Visit, name: str, scheme: str, width: int) -> None:
    """A page must be accessible, fit, and be worth looking at."""
    visit.picture(f"keys-{name}-{scheme}-{width}")
    assert faults(visit.page) == [], name
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width, name
    assert (visit.complaints, visit.violations()) == ([], []), name


def prove(page: Page, service: Embedded) -> None:
    """Say again who is sitting there, where the page asks."""
    page.fill("input[name=password]", demo_file(service)["merchant_password"])
    page.get_by_role("button", name="Confirm").click()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 390)])
def test_a_person_rolls_keys_without_a_gap(
    chromium: Browser, service: Embedded, shop: Caller, scheme: str, width: int
) -> None:
    context = chromium.new_context(
        color_scheme="dark" if scheme == "dark" else "light", viewport={"width": width, "height": 900}
    )
    visit = visit_in(context)
    page = visit.page
    page.goto(f"{service.base_url}/dashboard/test/keys/")
    sign_in(page, service)
    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    look(visit, "list", scheme, width)
    restricted = makes_a_restricted_key(visit, service, scheme, width)
    assert [status(service, restricted), status(service, restricted, "POST")] == [200, 403]
    rolls_it_without_a_gap(visit, service, restricted, scheme, width)
    allows_a_page(visit, service, scheme, width)
    reads_the_log(visit, service, scheme, width)
    context.close()


def makes_a_restricted_key(visit: Visit, service: Embedded, scheme: str, width: int) -> str:
    """The form refuses what cannot be, then shows the key once."""
    page = visit.page
    page.get_by_role("link", name="New restricted key").click()
    prove(page, service)
    expect(page.get_by_role("button", name="Make the key")).to_be_visible()
    page.get_by_label("Name").fill(f"Report {scheme}")
    page.get_by_label("Only from these network addresses").fill("127.0.0.1/8")
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_text("Did you mean 127.0.0.0/8?")).to_be_visible()
    visit.forgive("status of 400")
    look(visit, "new", scheme, width)
    page.get_by_label("Only from these network addresses").fill("127.0.0.0/8\n::1")
    page.get_by_label("See payments").check()
    page.get_by_role("button", name="Make the key").click()
    secret = page.get_by_test_id("restricted-key").input_value()
    look(visit, "made", scheme, width)
    page.get_by_role("link", name="I have stored it").click()
    expect(page.get_by_role("link", name=f"Report {scheme}")).to_be_visible()
    return secret


def rolls_it_without_a_gap(visit: Visit, service: Embedded, old: str, scheme: str, width: int) -> None:
    """Both keys work during the grace; without one, the older stops at once."""
    page = visit.page
    page.get_by_role("link", name=f"Report {scheme}").click()
    look(visit, "one", scheme, width)
    page.get_by_role("link", name="Roll", exact=True).click()
    look(visit, "roll", scheme, width)
    page.get_by_role("button", name="Roll the key").click()
    fresh = page.get_by_test_id("restricted-key").input_value()
    assert [status(service, key) for key in (old, fresh)] == [200, 200]
    page.get_by_role("link", name="I have stored it").click()
    expect(page.get_by_role("heading", name="Ending")).to_be_visible()
    look(visit, "ending", scheme, width)
    ending = page.get_by_role("region", name="Ending").get_by_role("link", name="Revoke")
    ending.first.click()
    page.get_by_role("button", name="Revoke it now").click()
    expect(page.get_by_text("is revoked")).to_be_visible()
    assert [status(service, key) for key in (old, fresh)] == [401, 200]
    page.get_by_role("link", name="A key has leaked").click()
    look(visit, "leaked", scheme, width)
    page.get_by_role("link", name="Not now").click()


def allows_a_page(visit: Visit, service: Embedded, scheme: str, width: int) -> None:
    """An origin is listed and taken off again."""
    page = visit.page
    page.goto(f"{service.base_url}/dashboard/test/origins/")
    look(visit, "no-origins", scheme, width)
    page.get_by_role("link", name="Allow an origin").first.click()
    page.get_by_label("Origin").fill("https://Shop.example:443/")
    look(visit, "allow", scheme, width)
    page.get_by_role("button", name="Allow it").click()
    expect(page.get_by_text("https://shop.example is allowed")).to_be_visible()
    look(visit, "origins", scheme, width)
    page.get_by_role("link", name="Remove").first.click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("No origin is listed")).to_be_visible()


def reads_the_log(visit: Visit, service: Embedded, scheme: str, width: int) -> None:
    """The refused request stands in the log within moments, as a command."""
    page = visit.page
    page.wait_for_timeout(2500)
    page.goto(f"{service.base_url}/dashboard/test/requests/?status=4&method=POST")
    look(visit, "requests", scheme, width)
    page.get_by_role("link", name="/api/public/v1/payment-intents").first.click()
    expect(page.get_by_text("$CAUSEWAY_KEY").first).to_be_visible()
    look(visit, "request", scheme, width)
