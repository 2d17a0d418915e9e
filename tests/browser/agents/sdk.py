"""Runs a client of an official SDK, and does with Chromium what it asks a person to do."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.people import confirm, sign_in
from tests.journeys.programs import ROOT, Embedded, clean_environment

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
        """End the connection of this name on the dashboard."""
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
