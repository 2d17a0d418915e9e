"""Webhooks and payouts on the dashboard, in a real browser: a payout is replayed, a webhook is sent again."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import new_intent
from tests.browser.test_consent import sign_in
from tests.browser.test_look import demo_file, faults
from tests.journeys.http_caller import Caller, eventually
from tests.journeys.programs import Embedded
from tests.webhooks.receivers import Received, Receiver, answer, receiver_on

SIZES = [("light", 1100), ("dark", 390)]


def look(visit: Visit, name: str, scheme: str, width: int) -> None:
    """A page must be accessible, fit, and be worth looking at."""
    visit.picture(f"hooks-{name}-{scheme}-{width}")
    assert faults(visit.page) == [], name
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width, name
    assert (visit.complaints, visit.violations()) == ([], []), name


def open_dashboard(chromium: Browser, service: Embedded, scheme: str, width: int, path: str) -> Visit:
    """The owner's browser at a page of the dashboard."""
    context = chromium.new_context(
        color_scheme="dark" if scheme == "dark" else "light", viewport={"width": width, "height": 900}
    )
    visit = visit_in(context)
    visit.page.goto(f"{service.base_url}/dashboard/test/{path}")
    sign_in(visit.page, service)
    visit.page.wait_for_url(lambda url: "/accounts/login" not in url)
    prove(visit.page, service)
    return visit


def prove(page: Page, service: Embedded) -> None:
    """Say who it is, where that is asked."""
    if "reauthenticate" in page.url:
        page.fill("input[name=password]", demo_file(service)["merchant_password"])
        page.get_by_role("button", name="Confirm").click()
        page.wait_for_url(lambda url: "reauthenticate" not in url)


def see(page: Page, words: str) -> None:
    """Look again until a worker has done it."""
    for _ in range(30):
        if page.get_by_text(words).count():
            break
        page.wait_for_timeout(700)
        page.reload()
    expect(page.get_by_text(words).first).to_be_visible()


def failed_payout(page: Page, service: Embedded, shop: Caller) -> str:
    """A payment whose payout fails, by way of paying out at settle, which is turned off again. Its payout's address."""
    settle = f"{service.base_url}/dashboard/test/payouts/at-settle/"
    choose_at_settle(page, service, settle, "paid out by themselves")
    intent = new_intent(shop, metadata={"simulate": "payout_fail"})["id"]
    assert shop.post(f"/test-helpers/payment-intents/{intent}/pay", {}).status == 200
    found = eventually(
        lambda: shop.get(f"/payouts?payment_intent_id={intent}&status=failed").body["data"] or None, 40, "it fails"
    )
    choose_at_settle(page, service, settle, "paid out when somebody asks")
    return f"{service.base_url}/dashboard/test/payouts/{found[0]['id']}/"


def choose_at_settle(page: Page, service: Embedded, address: str, words: str) -> None:
    """Turn paying out at settle on or off."""
    page.goto(address)
    prove(page, service)
    page.get_by_label(words).check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), SIZES)
def test_a_failed_payout_is_replayed_and_paid(
    chromium: Browser, service: Embedded, shop: Caller, scheme: str, width: int
) -> None:
    visit = open_dashboard(chromium, service, scheme, width, "payouts/")
    page = visit.page
    page.goto(failed_payout(page, service, shop))
    expect(page.get_by_test_id("payout-status")).to_have_text("Failed")
    expect(page.get_by_test_id("where")).to_contain_text("still with the simulated account")
    look(visit, "payout-failed", scheme, width)
    page.get_by_role("link", name="Replay").click()
    prove(page, service)
    expect(page.get_by_role("heading", name="again?")).to_be_visible()
    look(visit, "replay", scheme, width)
    page.get_by_role("button", name="Send it again").click()
    see(page, "The money is at your address")
    expect(page.get_by_test_id("payout-status")).to_have_text("Paid")
    look(visit, "payout-paid", scheme, width)
    page.goto(f"{service.base_url}/dashboard/test/payouts/")
    look(visit, "payouts", scheme, width)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download as CSV").click()
    assert saved.value.suggested_filename == "payouts-test.csv"
    visit.page.context.close()


@pytest.mark.parametrize(("scheme", "width"), SIZES)
def test_a_webhook_is_sent_again_and_checked(chromium: Browser, service: Embedded, scheme: str, width: int) -> None:
    visit = open_dashboard(chromium, service, scheme, width, "webhooks/new/")
    page = visit.page
    with receiver_on() as receiver:
        receiver.script = answer(503, b"not now")
        page.get_by_label("Address").fill(receiver.url)
        look(visit, "new", scheme, width)
        page.get_by_role("button", name="Make the endpoint").click()
        secret = page.get_by_test_id("signing-secret").input_value()
        assert secret.startswith("whsec_")
        look(visit, "secret", scheme, width)
        page.get_by_role("link", name="Send a test event").click()
        page.get_by_label("Event").select_option("payment_intent.settled")
        look(visit, "test", scheme, width)
        page.get_by_role("button", name="Send it").click()
        see(page, "503")
        look(visit, "delivery-failed", scheme, width)
        receiver.script = answer(200, b"thank you")
        page.get_by_role("button", name="Send it again").click()
        see(page, "thank you")
        see(page, "Delivered")  # the answer may be written down a moment before what follows from it
        expect(page.get_by_test_id("delivery-state")).to_have_text("Delivered")
        look(visit, "delivery", scheme, width)
        got = receiver.wait_for(2)[-1]
        walks(visit, service, receiver, scheme, width)
        checks(visit, service, got, (scheme, width))
    deletes(visit, service, receiver)
    visit.page.context.close()


def walks(visit: Visit, service: Embedded, receiver: Receiver, scheme: str, width: int) -> None:
    """The lists and pages around it."""
    page = visit.page
    page.goto(f"{service.base_url}/dashboard/test/webhooks/")
    look(visit, "endpoints", scheme, width)
    page.get_by_role("link", name=receiver.url).click()
    expect(page.get_by_test_id("endpoint-state")).to_have_text("Enabled")
    look(visit, "endpoint", scheme, width)
    page.get_by_role("link", name="Rotate").click()
    look(visit, "rotate", scheme, width)
    page.get_by_role("button", name="Rotate it").click()
    expect(page.get_by_text("signs along until")).to_be_visible()
    look(visit, "rotated", scheme, width)
    page.get_by_role("link", name="I have stored it").click()
    page.get_by_role("link", name="Recover").click()
    look(visit, "recover", scheme, width)
    page.goto(f"{service.base_url}/dashboard/test/events/")
    look(visit, "events", scheme, width)
    page.get_by_role("link", name="payment_intent.settled").first.click()
    look(visit, "event", scheme, width)


def checks(visit: Visit, service: Embedded, got: Received, size: tuple[str, int]) -> None:
    """The step at which a signature fails."""
    page, raw = visit.page, got.body.decode()
    page.goto(f"{service.base_url}/dashboard/test/webhooks/signature/")
    page.get_by_label("Svc-Signature header").fill(got.headers["Svc-Signature"])
    page.get_by_label("Raw body").fill(raw)
    page.get_by_role("button", name="Find the step").click()
    expect(page.get_by_test_id("verdict")).to_contain_text("The signature is right.")
    look(visit, "signature-right", *size)
    page.get_by_label("Raw body").fill(re.sub(r'":', '": ', raw))
    page.get_by_role("button", name="Find the step").click()
    expect(page.get_by_test_id("verdict")).to_contain_text("white space between its parts")
    look(visit, "signature", *size)


def deletes(visit: Visit, service: Embedded, receiver: Receiver) -> None:
    """Leave nothing behind."""
    page = visit.page
    page.goto(f"{service.base_url}/dashboard/test/webhooks/")
    page.get_by_role("link", name=receiver.url).click()
    page.get_by_role("link", name="Delete this endpoint").click()
    page.get_by_role("button", name="Delete it now").click()
    expect(page.get_by_text("The endpoint is deleted.")).to_be_visible()
