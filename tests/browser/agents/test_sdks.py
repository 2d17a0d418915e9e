"""The official SDKs in Python and TypeScript go the whole way, in both eras of the protocol."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.payer import settled_intent
from tests.browser.people import confirm, sign_in
from tests.journeys.http_caller import Caller
from tests.journeys.programs import ROOT, Embedded, clean_environment

pytestmark = pytest.mark.exhaustive
CLIENTS = Path(__file__).parent / "clients"
PYTHON = ROOT / ".local" / "mcp-venv" / "bin" / "python"
NODE_PACKAGES = ROOT / ".local" / "agent-node"
TOOLS = [
    *("create_payout", "poll_settlement", "verify_webhook", "create_payment_intent", "get_payment_intent"),
    *("list_payment_intents", "cancel_payment_intent", "create_refund", "list_tokens"),
]
READING = "payment_intents:read tokens:read webhooks:verify"
PAYING = "payment_intents:read payouts:write tokens:read webhooks:verify"
FIRST_PAGE = {"ticked": READING.split(), "asks_for_more": False, "unverified": True}
SECOND_PAGE = {"ticked": PAYING.split(), "asks_for_more": True, "unverified": True}
DISCOVERY = ["GET /.well-known/oauth-protected-resource/mcp 200", "GET /.well-known/oauth-authorization-server 200"]
REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
"""What each mode of a client agrees on."""
HANDSHAKE = {"POST /mcp 202", "GET /mcp 405"}
"""A client's word that it is ready, and its try for a stream."""
SIGNED_IN = [
    *("POST /mcp 401", *DISCOVERY, "POST /oauth/register 201", "POST /oauth/token 200", "POST /mcp 200"),
    *("POST /mcp 403", "POST /oauth/token 200", "POST /mcp 200"),
]
"""Registered and allowed, and allowed more when it asked for it."""

Event = dict[str, Any]


@dataclass
class Person:
    """The owner of the demo shop, who is asked for consent by whatever address a client opens."""

    visit: Visit
    service: Embedded
    pages: list[dict[str, Any]] = field(default_factory=list)

    def allow(self, url: str) -> None:
        """Open the address, sign in if asked to, read, press Allow, and arrive at the client."""
        page = self.visit.open(url)
        if "/accounts/login" in page.url:
            sign_in(page, self.service)
        allow = page.get_by_role("button", name="Allow", exact=True)
        expect(allow).to_be_visible()
        self.pages.append(_read(page))
        self.visit.picture(f"consent-{len(self.pages)}")
        assert self.visit.violations() == []
        allow.click()
        expect(page.get_by_text("You can close this page.")).to_be_visible()

    def revoke(self, name: str) -> None:
        page = self.visit.open(f"{self.service.base_url}/dashboard/test/agents/")
        page.get_by_role("link", name=name).first.click()
        page.get_by_role("link", name="Revoke").click()
        button = page.get_by_role("button", name="Revoke it now")
        expect(button.or_(page.locator("input[name=password]"))).to_be_visible()
        confirm(page, self.service)
        button.click()
        expect(page.get_by_test_id("agent-status")).to_have_text("Revoked")


def without_handshake(wire: list[str]) -> list[str]:
    """The answers less those of the older era's handshake. Why: they come beside the others, in no certain order."""
    others = [line for line in wire if line not in HANDSHAKE]
    return [line for line, before in zip(others, [None, *others], strict=False) if line != before]


def _read(page: Page) -> dict[str, Any]:
    """What the consent page says: the boxes that are ticked, and who asks for what."""
    assert page.get_by_test_id("redirect-host").locator("strong").inner_text().startswith("127.0.0.1:")
    boxes = page.locator("input[name=scopes]:checked")
    return {
        "ticked": sorted(boxes.evaluate_all("boxes => boxes.map((box) => box.value)")),
        "asks_for_more": page.get_by_test_id("step-up").count() == 1,
        "unverified": "Unverified" in page.get_by_test_id("identity").inner_text(),
    }


def report_of(command: list[str], folder: Path, on: dict[str, Callable[[Event], None]]) -> Event:
    """Run a client to its end, outside the project, and answer what it asks; its report.

    Raises: AssertionError with what it printed, when it failed.
    """
    with _running(command, folder) as client:
        assert client.stdout is not None
        assert client.stdin is not None
        for line in client.stdout:
            event: Event = json.loads(line)
            if event["event"] == "report":
                return event
            on[event["event"]](event)
            client.stdin.write("done\n")
            client.stdin.flush()
        raise AssertionError(f"no report; {(folder / 'client.err').read_text()[-6000:]}")


@contextmanager
def _running(command: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    with (folder / "client.err").open("w") as errors:
        client = subprocess.Popen(
            command,
            cwd=folder,
            env=clean_environment(),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        try:
            yield client
        finally:
            client.kill()
            client.communicate()


@pytest.fixture
def person(visit: Visit, service: Embedded) -> Person:
    return Person(visit=visit, service=service)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_python_from_the_first_refusal_to_the_last(
    person: Person, service: Embedded, shop: Caller, tmp_path: Path, mode: str
) -> None:
    """In the modern era a person revokes on the dashboard; in the older one the client gives its token back."""
    intent, name, url = settled_intent(shop), f"Python, {mode}", f"{service.base_url}/mcp"
    report = report_of(
        [str(PYTHON), "-P", str(CLIENTS / "python_client.py"), url, mode, intent, name],
        tmp_path,
        {
            "open": lambda event: person.allow(event["url"]),
            "revoke": lambda event: None if mode == "legacy" else person.revoke(name),
        },
    )
    assert person.pages == [FIRST_PAGE, SECOND_PAGE]
    assert_it_signed_in(report, url)
    assert ("POST /mcp 202" in report["wire"]) is (mode == "legacy")
    assert_it_was_served(report, intent, mode)
    assert report["given_back"] == (200 if mode == "legacy" else None)
    assert report["wire_after_revocation"] == ["POST /mcp 401", *DISCOVERY]
    assert "answered_afterwards" not in report


def assert_it_signed_in(report: dict[str, Any], url: str) -> None:
    """Challenge, metadata, registration, consent, step-up and refresh: each once, in this order."""
    assert without_handshake(report["wire"]) == [*SIGNED_IN, "POST /oauth/token 200", "POST /mcp 200"]
    usual = {"resource": url, "code_challenge_method": "S256"}
    wanted = [READING, f"{READING} payouts:write", READING]
    assert report["asked"] == [{"scope": scope, **usual} for scope in wanted]
    assert report["scopes"] == [READING, PAYING, PAYING]
    assert (report["consents_for_payout"], report["refreshes"]) == (1, 1)


def assert_it_was_served(report: dict[str, Any], intent: str, mode: str) -> None:
    """The tools, the settlement, and one payout that is paid."""
    assert (report["protocol_version"], report["server"]) == (REVISIONS[mode], "causeway")
    assert (report["tools"], report["tokens_listed"]) == (TOOLS, 1)
    settlement = report["settlement"]
    assert (settlement["id"], settlement["status"], settlement["mode"]) == (intent, "settled", "test")
    assert settlement["net_settlement_usd"] == "25.00"
    payout = report["payout_followed"]
    assert report["payout"] == report["payout_again"] == {"result": {"payoutId": payout["id"]}}
    assert (payout["status"], payout["amount"], payout["payment_intent_id"]) == ("paid", "25.00", intent)
    assert report["after_refresh"] == "settled"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_typescript_from_the_sign_in_to_the_last_refusal(
    person: Person, service: Embedded, shop: Caller, tmp_path: Path, mode: str
) -> None:
    """At the end the SDK tries its refresh token too, and then wants consent again."""
    intent = settled_intent(shop)
    facts = (str(NODE_PACKAGES), f"{service.base_url}/mcp", mode, intent, f"TypeScript, {mode}")
    report = report_of(
        ["node", str(CLIENTS / "typescript_client.mjs"), *facts],
        tmp_path,
        {"open": lambda event: person.allow(event["url"])},
    )
    payout, wire = report.pop("payout"), report.pop("wire")
    assert set(payout) == {"result"}
    assert set(payout["result"]) == {"payoutId"}
    assert person.pages == [FIRST_PAGE, SECOND_PAGE]
    assert report == {
        "event": "report",
        "protocol_version": REVISIONS[mode],
        "server": "causeway",
        "tools": TOOLS,
        "tokens_listed": 1,
        "settlement": "settled",
        "payout_status": "paid",
        "scopes": [READING, PAYING],
        "given_back": 200,
        "refused_as": "UnauthorizedError",
        "wire_after_revocation": ["POST /mcp 401", "POST /oauth/token 400"],
    }
    assert ("POST /mcp 202" in wire) is (mode == "legacy")
    assert without_handshake(wire) == SIGNED_IN
