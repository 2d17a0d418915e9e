"""Agents in a real browser: a person allows one, sees what it does, decides, limits and ends it."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.oauth import MONEY, Program, exchange, link, register
from tests.browser.payer import settled_intent
from tests.browser.people import confirm, sign_in
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded


def call(service: Embedded, access_token: str, tool: str, arguments: dict[str, Any]) -> Any:
    """What a tool answers; an HTTP status where the door does not open."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    words = {"Accept": "application/json, text/event-stream", "MCP_Protocol_Version": "2025-11-25"}
    answer = Caller(base_url=service.base_url, key=access_token).post("/mcp", message, **words)
    return answer.body["result"] if answer.status == HTTPStatus.OK else answer.status


def connected(page: Page, service: Embedded, program: Program, name: str) -> str:
    """An access token that a person allowed, who wants to be asked above ten dollars."""
    client_id = register(service, program, name)
    page.goto(link(service, program, client_id, MONEY))
    page.locator("[name=approval_above_usd]").fill("10")
    page.get_by_role("button", name="Allow").click()
    expect(page).to_have_title("Agent")
    access_token: str = exchange(service, program, client_id, program.answers[-1]["code"])["access_token"]
    return access_token


@pytest.mark.exhaustive
def test_a_person_watches_an_agent_and_decides(owner: Visit, service: Embedded, shop: Caller, program: Program) -> None:
    page, name = owner.page, f"Shopkeeper {owner.screen}"
    access_token = connected(page, service, program, name)
    intent = settled_intent(shop)
    assert call(service, access_token, "poll_settlement", {"payment_intent_id": intent})["isError"] is False
    assert call(service, access_token, "poll_settlement", {"payment_intent_id": "nonsense"})["isError"] is True
    assert call(service, access_token, "create_refund", {}) == 403
    asked = call(service, access_token, "create_payout", {"payment_intent_id": intent, "idempotency_key": name})
    assert "approval_required" in asked["content"][0]["text"]
    page.goto(f"{service.base_url}/dashboard/test/")
    expect(page.get_by_role("link", name="An agent waits for you")).to_be_visible()
    owner.look("agents-home")
    page.goto(f"{service.base_url}/dashboard/test/agents/")
    owner.look("agents-list")
    page.get_by_role("link", name=name).first.click()
    expect(page.get_by_test_id("agent-status")).to_have_text("Active")
    expect(page.get_by_text("A person must approve it first. Nothing was sent.")).to_be_visible()
    owner.look("agents-connection")
    decides(owner, service, name)
    limits_and_ends(owner, service, name)
    assert call(service, access_token, "poll_settlement", {"payment_intent_id": intent}) == 401
    page.goto(f"{service.base_url}/dashboard/test/agent-log/")
    expect(page.get_by_text("Access was revoked").first).to_be_visible()
    owner.look("agents-log")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download as CSV").click()
    assert saved.value.suggested_filename == "agent-log-test.csv"


def decides(owner: Visit, service: Embedded, name: str) -> None:
    """The person looks at what waits, proves who they are, and allows it."""
    page = owner.page
    page.goto(f"{service.base_url}/dashboard/test/approvals/")
    owner.look("agents-approvals")
    page.get_by_role("row", name=name).get_by_role("link").click()
    expect(page.get_by_test_id("approval-status")).to_have_text("Waits for a person")
    owner.look("agents-approval")
    page.get_by_role("link", name="Approve", exact=True).click()
    confirm(page, service)
    expect(page.get_by_role("heading", name="Approve this?")).to_be_visible()
    owner.look("agents-approve")
    page.get_by_role("button", name="Approve $25.00").click()
    expect(page.get_by_test_id("approval-status")).to_have_text("Approved")


def limits_and_ends(owner: Visit, service: Embedded, name: str) -> None:
    """The person sets limits, pauses all agents for a moment, and revokes this one."""
    page = owner.page
    page.goto(f"{service.base_url}/dashboard/test/agents/")
    page.get_by_role("link", name=name).first.click()
    page.get_by_role("link", name="Change limits").click()
    page.get_by_label("Most in one call").fill("lots")
    page.get_by_role("button", name="Save the limits").click()
    expect(page.get_by_text("Dollars, like 25 or 25.50.")).to_be_visible()
    owner.forgive("status of 400")
    owner.look("agents-limits")
    page.get_by_label("Most in one call").fill("12.50")
    page.get_by_role("button", name="Save the limits").click()
    expect(page.get_by_text("$12.50", exact=True)).to_be_visible()
    page.goto(f"{service.base_url}/dashboard/test/agents/pause/")
    page.get_by_role("button", name="Pause all of them").click()
    expect(page.get_by_test_id("all-paused")).to_be_visible()
    owner.look("agents-paused")
    page.goto(f"{service.base_url}/dashboard/test/agents/resume/")
    page.get_by_role("button", name="Resume them").click()
    page.get_by_role("link", name=name).first.click()
    page.get_by_role("link", name="Revoke").click()
    owner.look("agents-revoke")
    page.get_by_role("button", name="Revoke it now").click()
    expect(page.get_by_test_id("agent-status")).to_have_text("Revoked")


def test_a_person_signs_in_and_allows(any_screen: Visit, service: Embedded, program: Program) -> None:
    client_id = register(service, program, f"Helpful Agent {any_screen.screen}")
    page = any_screen.open(link(service, program, client_id, MONEY))
    sign_in(page, service)
    expect(page.get_by_test_id("redirect-host")).to_contain_text(urlsplit(program.callback).netloc)
    expect(page.get_by_test_id("localhost-warning")).to_be_visible()
    expect(page.get_by_label("At most per refund or payout")).to_have_value("1000.00")
    any_screen.look("consent-test")
    page.get_by_label("At most per refund or payout").fill("25")
    page.get_by_role("button", name="Allow").click()
    expect(page).to_have_title("Agent")
    [answer] = program.answers
    assert {key: answer[key] for key in ("state", "iss")} == {"state": "state-of-the-agent", "iss": service.base_url}
    assert exchange(service, program, client_id, answer["code"])["scope"].split() == sorted(MONEY.split())
    steps_up(any_screen, service, program, client_id)


def steps_up(visit: Visit, service: Embedded, program: Program, client_id: str) -> None:
    """The same agent asks for more, and is told no."""
    page = visit.open(link(service, program, client_id, f"{MONEY} refunds:write"))
    expect(page.get_by_test_id("step-up")).to_be_visible()
    expect(page.get_by_label("At most per refund or payout")).to_have_value("25.00")
    visit.look("consent-step-up")
    page.get_by_role("button", name="Cancel").click()
    expect(page).to_have_title("Agent")
    assert program.answers[-1]["error"] == "access_denied"
