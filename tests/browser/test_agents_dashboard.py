"""Agents on the dashboard, in a real browser: an agent acts, a person sees it, decides, limits and ends it."""

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import new_intent
from tests.browser.test_consent import (  # noqa: F401 - a fixture among them
    Program,
    exchange,
    link,
    program,
    register,
    sign_in,
)
from tests.browser.test_look import demo_file, faults
from tests.journeys.http_caller import Caller, eventually
from tests.journeys.programs import Embedded

SCOPES = "payment_intents:read tokens:read webhooks:verify payouts:write"


def call(service: Embedded, access_token: str, tool: str, arguments: dict[str, Any]) -> Any:
    """What a tool answers; an HTTP status where the door does not open."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {
        "Authorization": f"Bearer {access_token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    request = Request(f"{service.base_url}/mcp", json.dumps(message).encode(), headers)  # noqa: S310 - under test
    try:
        with urlopen(request) as answer:  # noqa: S310 - as above
            return json.load(answer)["result"]
    except HTTPError as refusal:
        return refusal.code


def settled_intent(shop: Caller) -> str:
    """An intent that was paid."""
    intent: str = new_intent(shop)["id"]
    assert shop.post(f"/test-helpers/payment-intents/{intent}/pay", {}).status == 200
    eventually(
        lambda: shop.get(f"/payment-intents/{intent}").body["status"] == "settled" or None, 30, "the intent settles"
    )
    return intent


def connected(page: Page, service: Embedded, program: Program, name: str) -> str:  # noqa: F811 - the fixture's value
    """An access token that a person allowed, who wants to be asked above ten dollars."""
    client_id = register(service, program, name)
    page.goto(link(service, program, client_id, SCOPES))
    sign_in(page, service)
    page.locator("[name=approval_above_usd]").fill("10")
    page.get_by_role("button", name="Allow").click()
    expect(page).to_have_title("Agent")
    access_token: str = exchange(service, program, client_id, program.answers[-1]["code"])["access_token"]
    return access_token


def look(visit: Visit, name: str, scheme: str, width: int) -> None:
    """A page must be accessible, fit, and be worth looking at."""
    visit.picture(f"agents-{name}-{scheme}-{width}")
    assert faults(visit.page) == [], name
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width, name
    assert (visit.complaints, visit.violations()) == ([], []), name


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 390)])
def test_a_person_watches_an_agent_and_decides(
    chromium: Browser,
    service: Embedded,
    shop: Caller,
    program: Program,  # noqa: F811 - the fixture
    scheme: str,
    width: int,
) -> None:
    context = chromium.new_context(
        color_scheme="dark" if scheme == "dark" else "light", viewport={"width": width, "height": 900}
    )
    visit, name = visit_in(context), f"Shopkeeper {scheme}"
    page = visit.page
    access_token = connected(page, service, program, name)
    intent = settled_intent(shop)
    assert call(service, access_token, "poll_settlement", {"payment_intent_id": intent})["isError"] is False
    assert call(service, access_token, "poll_settlement", {"payment_intent_id": "nonsense"})["isError"] is True
    assert call(service, access_token, "create_refund", {}) == 403
    asked = call(service, access_token, "create_payout", {"payment_intent_id": intent, "idempotency_key": scheme})
    assert "approval_required" in asked["content"][0]["text"]
    page.goto(f"{service.base_url}/dashboard/test/")
    expect(page.get_by_role("link", name="An agent waits for you")).to_be_visible()
    look(visit, "home", scheme, width)
    page.goto(f"{service.base_url}/dashboard/test/agents/")
    look(visit, "list", scheme, width)
    page.get_by_role("link", name=name).first.click()
    expect(page.get_by_test_id("agent-status")).to_have_text("Active")
    expect(page.get_by_text("A person must approve it first. Nothing was sent.")).to_be_visible()
    look(visit, "connection", scheme, width)
    decides(visit, service, name, scheme, width)
    limits_and_ends(visit, service, name, scheme, width)
    assert call(service, access_token, "poll_settlement", {"payment_intent_id": intent}) == 401
    page.goto(f"{service.base_url}/dashboard/test/agent-log/")
    expect(page.get_by_text("Access was revoked").first).to_be_visible()
    look(visit, "log", scheme, width)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download as CSV").click()
    assert saved.value.suggested_filename == "agent-log-test.csv"
    context.close()


def decides(visit: Visit, service: Embedded, name: str, scheme: str, width: int) -> None:
    """The person looks at what waits, proves who they are, and allows it."""
    page = visit.page
    page.goto(f"{service.base_url}/dashboard/test/approvals/")
    look(visit, "approvals", scheme, width)
    page.get_by_role("row", name=name).get_by_role("link").click()
    expect(page.get_by_test_id("approval-status")).to_have_text("Waits for a person")
    look(visit, "approval", scheme, width)
    page.get_by_role("link", name="Approve", exact=True).click()
    page.fill("input[name=password]", demo_file(service)["merchant_password"])
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", name="Approve this?")).to_be_visible()
    look(visit, "approve", scheme, width)
    page.get_by_role("button", name="Approve $25.00").click()
    expect(page.get_by_test_id("approval-status")).to_have_text("Approved")


def limits_and_ends(visit: Visit, service: Embedded, name: str, scheme: str, width: int) -> None:
    """The person sets limits, pauses all agents for a moment, and revokes this one."""
    page = visit.page
    page.goto(f"{service.base_url}/dashboard/test/agents/")
    page.get_by_role("link", name=name).first.click()
    page.get_by_role("link", name="Change limits").click()
    page.get_by_label("Most in one call").fill("lots")
    page.get_by_role("button", name="Save the limits").click()
    expect(page.get_by_text("Dollars, like 25 or 25.50.")).to_be_visible()
    visit.forgive("status of 400")
    look(visit, "limits", scheme, width)
    page.get_by_label("Most in one call").fill("12.50")
    page.get_by_role("button", name="Save the limits").click()
    expect(page.get_by_text("$12.50", exact=True)).to_be_visible()
    page.goto(f"{service.base_url}/dashboard/test/agents/pause/")
    page.get_by_role("button", name="Pause all of them").click()
    expect(page.get_by_test_id("all-paused")).to_be_visible()
    look(visit, "paused", scheme, width)
    page.goto(f"{service.base_url}/dashboard/test/agents/resume/")
    page.get_by_role("button", name="Resume them").click()
    page.get_by_role("link", name=name).first.click()
    page.get_by_role("link", name="Revoke").click()
    look(visit, "revoke", scheme, width)
    page.get_by_role("button", name="Revoke it now").click()
    expect(page.get_by_test_id("agent-status")).to_have_text("Revoked")
