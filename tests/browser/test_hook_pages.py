"""Webhooks and payouts on the dashboard, in a real browser: a payout is replayed, a webhook is sent again."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.payer import LOOK_SECONDS, new_intent, pay_without_page
from tests.browser.people import confirm
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded
from tests.machine import wait_until
from tests.webhooks.receivers import Received, Receiver, answer, receiver_on


def see(page: Page, words: str) -> None:
    """Look again until a worker has done it."""
    wait_until(lambda: page.get_by_text(words).count() or not page.reload(), words, poll=LOOK_SECONDS)


def failed_payout(page: Page, service: Embedded, shop: Caller) -> str:
    """A payment whose payout fails, by way of paying out at settle, which is turned off again. Its payout's address."""
    settle = f"{service.base_url}/dashboard/test/payouts/at-settle/"
    choose_at_settle(page, service, settle, "paid out by themselves")
    intent = new_intent(shop, metadata={"simulate": "payout_fail"})["id"]
    pay_without_page(shop, intent)
    failed = f"/payouts?payment_intent_id={intent}&status=failed"
    found = wait_until(lambda: shop.get(failed).body["data"], "the payout fails", poll=LOOK_SECONDS)
    choose_at_settle(page, service, settle, "paid out when somebody asks")
    return f"{service.base_url}/dashboard/test/payouts/{found[0]['id']}/"


def choose_at_settle(page: Page, service: Embedded, address: str, words: str) -> None:
    """Turn paying out at settle on or off."""
    page.goto(address)
    confirm(page, service)
    page.get_by_label(words).check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_be_visible()


def test_a_failed_payout_is_replayed_and_paid(owner: Visit, service: Embedded, shop: Caller) -> None:
    page = owner.page
    page.goto(failed_payout(page, service, shop))
    expect(page.get_by_test_id("payout-status")).to_have_text("Failed")
    expect(page.get_by_test_id("where")).to_contain_text("still with the simulated account")
    owner.look("hooks-payout-failed")
    page.get_by_role("link", name="Replay").click()
    confirm(page, service)
    expect(page.get_by_role("heading", name="again?")).to_be_visible()
    owner.look("hooks-replay")
    page.get_by_role("button", name="Send it again").click()
    see(page, "The money is at your address")
    expect(page.get_by_test_id("payout-status")).to_have_text("Paid")
    owner.look("hooks-payout-paid")
    page.goto(f"{service.base_url}/dashboard/test/payouts/")
    owner.look("hooks-payouts")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download as CSV").click()
    assert saved.value.suggested_filename == "payouts-test.csv"


def test_a_webhook_is_sent_again_and_checked(owner: Visit, service: Embedded) -> None:
    page = owner.open(f"{service.base_url}/dashboard/test/webhooks/new/")
    confirm(page, service)
    with receiver_on() as receiver:
        receiver.script = answer(503, b"not now")
        page.get_by_label("Address").fill(receiver.url)
        owner.look("hooks-new")
        page.get_by_role("button", name="Make the endpoint").click()
        secret = page.get_by_test_id("signing-secret").input_value()
        assert secret.startswith("whsec_")
        owner.look("hooks-secret")
        page.get_by_role("link", name="Send a test event").click()
        page.get_by_label("Event").select_option("payment_intent.settled")
        owner.look("hooks-test")
        page.get_by_role("button", name="Send it").click()
        see(page, "503")
        owner.look("hooks-delivery-failed")
        receiver.script = answer(200, b"thank you")
        page.get_by_role("button", name="Send it again").click()
        see(page, "thank you")
        see(page, "Delivered")  # the answer may be written down a moment before what follows from it
        expect(page.get_by_test_id("delivery-state")).to_have_text("Delivered")
        owner.look("hooks-delivery")
        got = receiver.wait_for(2)[-1]
        walks(owner, service, receiver)
        checks(owner, service, got)
    deletes(owner, service, receiver)


def walks(owner: Visit, service: Embedded, receiver: Receiver) -> None:
    """The lists and pages around it."""
    page = owner.page
    page.goto(f"{service.base_url}/dashboard/test/webhooks/")
    owner.look("hooks-endpoints")
    page.get_by_role("link", name=receiver.url).click()
    expect(page.get_by_test_id("endpoint-state")).to_have_text("Enabled")
    owner.look("hooks-endpoint")
    page.get_by_role("link", name="Rotate").click()
    owner.look("hooks-rotate")
    page.get_by_role("button", name="Rotate it").click()
    expect(page.get_by_text("signs along until")).to_be_visible()
    owner.look("hooks-rotated")
    page.get_by_role("link", name="I have stored it").click()
    page.get_by_role("link", name="Recover").click()
    owner.look("hooks-recover")
    page.goto(f"{service.base_url}/dashboard/test/events/")
    owner.look("hooks-events")
    page.get_by_role("link", name="payment_intent.settled").first.click()
    owner.look("hooks-event")


def checks(owner: Visit, service: Embedded, got: Received) -> None:
    """The step at which a signature fails."""
    page, raw = owner.page, got.body.decode()
    page.goto(f"{service.base_url}/dashboard/test/webhooks/signature/")
    page.get_by_label("Svc-Signature header").fill(got.headers["Svc-Signature"])
    page.get_by_label("Raw body").fill(raw)
    page.get_by_role("button", name="Find the step").click()
    expect(page.get_by_test_id("verdict")).to_contain_text("The signature is right.")
    owner.look("hooks-signature-right")
    page.get_by_label("Raw body").fill(re.sub(r'":', '": ', raw))
    page.get_by_role("button", name="Find the step").click()
    expect(page.get_by_test_id("verdict")).to_contain_text("white space between its parts")
    owner.look("hooks-signature")


def deletes(owner: Visit, service: Embedded, receiver: Receiver) -> None:
    """Leave nothing behind."""
    page = owner.page
    page.goto(f"{service.base_url}/dashboard/test/webhooks/")
    page.get_by_role("link", name=receiver.url).click()
    page.get_by_role("link", name="Delete this endpoint").click()
    page.get_by_role("button", name="Delete it now").click()
    expect(page.get_by_text("The endpoint is deleted.")).to_be_visible()
