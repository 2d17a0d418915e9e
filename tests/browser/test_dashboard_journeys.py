"""What the dashboard shows only after a form was sent: secrets, faults, deliveries, money that is out again.

Every other page is looked at in ``test_dashboard_pages.py``; what the forms do is told without a browser.
"""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.payer import LOOK_SECONDS, part, settled_intent
from tests.browser.people import confirm
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded
from tests.machine import wait_until
from tests.webhooks.receivers import Received, answer, receiver_on


def see(page: Page, words: str) -> None:
    """Look again until a worker has done it."""
    wait_until(lambda: page.get_by_text(words).count() or not page.reload(), words, poll=LOOK_SECONDS)


def statuses(service: Embedded, *keys: str) -> list[int]:
    return [Caller(base_url=service.base_url, key=key).get("/payment-intents").status for key in keys]


def test_a_key_is_made_after_a_fault_and_rolled_without_a_gap(owner: Visit, service: Embedded) -> None:
    page = owner.open(f"{service.base_url}/dashboard/test/keys/")
    page.get_by_role("link", name="New restricted key").click()
    confirm(page, service)
    expect(page.get_by_role("button", name="Make the key")).to_be_visible()
    page.get_by_label("Name").fill(f"Report {owner.screen}")
    page.get_by_label("Only from these network addresses").fill("127.0.0.1/8")
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_text("Did you mean 127.0.0.0/8?")).to_be_visible()
    owner.forgive("status of 400")
    owner.look("keys-fault")
    page.get_by_label("Only from these network addresses").fill("127.0.0.0/8\n::1")
    page.get_by_label("See payments").check()
    page.get_by_role("button", name="Make the key").click()
    old = page.get_by_test_id("restricted-key").input_value()
    owner.look("keys-made")
    page.get_by_role("link", name="I have stored it").click()
    page.get_by_role("link", name=f"Report {owner.screen}").click()
    page.get_by_role("link", name="Roll", exact=True).click()
    page.get_by_role("button", name="Roll the key").click()
    fresh = page.get_by_test_id("restricted-key").input_value()
    assert statuses(service, old, fresh) == [200, 200]
    page.get_by_role("link", name="I have stored it").click()
    expect(page.get_by_role("heading", name="Ending")).to_be_visible()
    owner.look("keys-ending")
    page.get_by_role("region", name="Ending").get_by_role("link", name="Revoke").first.click()
    page.get_by_role("button", name="Revoke it now").click()
    expect(page.get_by_text("is revoked")).to_be_visible()
    assert statuses(service, old, fresh) == [401, 200]


def test_a_webhook_is_sent_again_and_checked(owner: Visit, service: Embedded) -> None:
    page = owner.open(f"{service.base_url}/dashboard/test/webhooks/new/")
    confirm(page, service)
    with receiver_on() as receiver:
        receiver.script = answer(503, b"not now")
        page.get_by_role("textbox", name="Address").fill(receiver.url)
        page.get_by_role("button", name="Make the endpoint").click()
        assert page.get_by_test_id("signing-secret").input_value().startswith("whsec_")
        owner.look("hooks-secret")
        page.get_by_role("link", name="Send a test event").click()
        page.get_by_label("Event").select_option("payment_intent.settled")
        page.get_by_role("button", name="Send it").click()
        see(page, "503")
        owner.look("hooks-delivery-failed")
        receiver.script = answer(200, b"thank you")
        page.get_by_role("button", name="Send it again").click()
        see(page, "thank you")
        see(page, "Delivered")  # the answer may be written down a moment before what follows from it
        expect(page.get_by_test_id("delivery-state")).to_have_text("Delivered")
        owner.look("hooks-delivery")
        checks(owner, service, receiver.wait_for(2)[-1])
    page.goto(f"{service.base_url}/dashboard/test/webhooks/")
    page.get_by_role("link", name=receiver.url).click()
    page.get_by_role("link", name="Delete this endpoint").click()
    page.get_by_role("button", name="Delete it now").click()
    expect(page.get_by_text("The endpoint is deleted.")).to_be_visible()


def checks(owner: Visit, service: Embedded, got: Received) -> None:
    page, raw = owner.open(f"{service.base_url}/dashboard/test/webhooks/signature/"), got.body.decode()
    page.get_by_label("Svc-Signature header").fill(got.headers["Svc-Signature"])
    for body, verdict in (
        (raw, "The signature is right."),
        (re.sub(r'":', '": ', raw), "white space between its parts"),
    ):
        page.get_by_label("Raw body").fill(body)
        page.get_by_role("button", name="Find the step").click()
        expect(page.get_by_test_id("verdict")).to_contain_text(verdict)
        owner.look(f"hooks-signature-{verdict.split()[0]}")


def test_a_payment_is_found_by_its_hash_and_read(owner: Visit, service: Embedded, shop: Caller) -> None:
    paid, page = settled_intent(shop), owner.open(f"{service.base_url}/dashboard/test/search/")
    [leg] = shop.get(f"/payment-intents/{paid}/transactions").body["data"]
    page.get_by_label("Look for").fill(f" {leg['tx_hash']} ")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url(f"**/payments/{paid}/")
    page.get_by_role("link", name="Tries and routes").click()
    for summary in part(page, "timeline").locator("summary").all():
        summary.click()
    owner.look("payments-routes")
