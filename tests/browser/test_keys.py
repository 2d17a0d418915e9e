"""Keys in a real browser: one is made and rolled while the old one still works, a page is allowed, all is logged."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.payer import LOOK_SECONDS
from tests.browser.people import confirm
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded
from tests.machine import wait_until


def statuses(service: Embedded, *keys: str) -> list[int]:
    """What the API answers to each key."""
    return [Caller(base_url=service.base_url, key=key).get("/payment-intents").status for key in keys]


def test_a_person_rolls_keys_without_a_gap(owner: Visit, service: Embedded) -> None:
    owner.page.goto(f"{service.base_url}/dashboard/test/keys/")
    expect(owner.page.get_by_role("heading", name="API keys")).to_be_visible()
    owner.look("keys-list")
    restricted = makes_a_restricted_key(owner, service)
    assert statuses(service, restricted) == [200]
    assert Caller(base_url=service.base_url, key=restricted).post("/payment-intents", {"amount": 25}).status == 403
    rolls_it_without_a_gap(owner, service, restricted)
    allows_a_page(owner, service)
    reads_the_log(owner, service)


def makes_a_restricted_key(owner: Visit, service: Embedded) -> str:
    """The form refuses what cannot be, then shows the key once."""
    page = owner.page
    page.get_by_role("link", name="New restricted key").click()
    confirm(page, service)
    expect(page.get_by_role("button", name="Make the key")).to_be_visible()
    page.get_by_label("Name").fill(f"Report {owner.screen}")
    page.get_by_label("Only from these network addresses").fill("127.0.0.1/8")
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_text("Did you mean 127.0.0.0/8?")).to_be_visible()
    owner.forgive("status of 400")
    owner.look("keys-new")
    page.get_by_label("Only from these network addresses").fill("127.0.0.0/8\n::1")
    page.get_by_label("See payments").check()
    page.get_by_role("button", name="Make the key").click()
    secret = page.get_by_test_id("restricted-key").input_value()
    owner.look("keys-made")
    page.get_by_role("link", name="I have stored it").click()
    expect(page.get_by_role("link", name=f"Report {owner.screen}")).to_be_visible()
    return secret


def rolls_it_without_a_gap(owner: Visit, service: Embedded, old: str) -> None:
    """Both keys work during the grace; without one, the older stops at once."""
    page = owner.page
    page.get_by_role("link", name=f"Report {owner.screen}").click()
    owner.look("keys-one")
    page.get_by_role("link", name="Roll", exact=True).click()
    owner.look("keys-roll")
    page.get_by_role("button", name="Roll the key").click()
    fresh = page.get_by_test_id("restricted-key").input_value()
    assert statuses(service, old, fresh) == [200, 200]
    page.get_by_role("link", name="I have stored it").click()
    expect(page.get_by_role("heading", name="Ending")).to_be_visible()
    owner.look("keys-ending")
    ending = page.get_by_role("region", name="Ending").get_by_role("link", name="Revoke")
    ending.first.click()
    page.get_by_role("button", name="Revoke it now").click()
    expect(page.get_by_text("is revoked")).to_be_visible()
    assert statuses(service, old, fresh) == [401, 200]
    page.get_by_role("link", name="A key has leaked").click()
    owner.look("keys-leaked")
    page.get_by_role("link", name="Not now").click()


def allows_a_page(owner: Visit, service: Embedded) -> None:
    """An origin is listed and taken off again."""
    page = owner.page
    page.goto(f"{service.base_url}/dashboard/test/origins/")
    owner.look("keys-no-origins")
    page.get_by_role("link", name="Allow an origin").first.click()
    page.get_by_label("Origin").fill("https://Shop.example:443/")
    owner.look("keys-allow")
    page.get_by_role("button", name="Allow it").click()
    expect(page.get_by_text("https://shop.example is allowed")).to_be_visible()
    owner.look("keys-origins")
    page.get_by_role("link", name="Remove").first.click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("No origin is listed")).to_be_visible()


def reads_the_log(owner: Visit, service: Embedded) -> None:
    """The refused request stands in the log once it was written down, as a command."""
    page = owner.page
    page.goto(f"{service.base_url}/dashboard/test/requests/?status=4&method=POST")
    refused = page.get_by_role("link", name="/api/public/v1/payment-intents").first
    wait_until(lambda: refused.count() or not page.reload(), "the refused request in the log", poll=LOOK_SECONDS)
    owner.look("keys-requests")
    refused.click()
    expect(page.get_by_text("$CAUSEWAY_KEY").first).to_be_visible()
    owner.look("keys-request")
