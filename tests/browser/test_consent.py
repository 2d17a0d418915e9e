"""A person allows an agent on the consent page: in a real browser, which is sent back to a program on this machine."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.service_process import free_port
from tests.browser.conftest import Visit, visit_in
from tests.browser.test_look import demo_file, faults
from tests.journeys.programs import Embedded, embedded

VERIFIER = "a-verifier-that-is-long-enough-to-be-one-0123456789"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
MONEY = "payment_intents:read tokens:read webhooks:verify payouts:write"


@dataclass
class Program:
    """An agent on this machine: what it was told at its callback."""

    callback: str = ""
    answers: list[dict[str, str]] = field(default_factory=list)


@pytest.fixture
def program() -> Iterator[Program]:
    """An agent that listens on a loopback address, as desktop agents do."""
    program = Program()

    class Callback(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told = parse_qs(urlsplit(self.path).query)
            if told:
                program.answers.append({key: values[0] for key, values in told.items()})
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><html lang=en><title>Agent</title><h1>You can close this page.</h1>")

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Callback)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    program.callback = f"http://127.0.0.1:{server.server_port}/callback"
    yield program
    server.shutdown()
    server.server_close()


def register(service: Embedded, program: Program, name: str) -> str:
    """The id of a client that registered itself."""
    body = json.dumps({"client_name": name, "redirect_uris": [program.callback], "token_endpoint_auth_method": "none"})
    request = Request(  # noqa: S310 - the service under test
        f"{service.base_url}/oauth/register", body.encode(), {"Content-Type": "application/json"}
    )
    with urlopen(request) as answer:  # noqa: S310 - the service under test
        client_id: str = json.load(answer)["client_id"]
    return client_id


def link(service: Embedded, program: Program, client_id: str, scope: str) -> str:
    """Where the agent sends its person."""
    words = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": program.callback,
        "scope": scope,
        "state": "state-of-the-agent",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "resource": f"{service.base_url}/mcp",
    }
    return f"{service.base_url}/oauth/authorize?{urlencode(words)}"


def sign_in(page: Page, service: Embedded) -> None:
    """As the demo merchant's owner."""
    demo = demo_file(service)
    page.fill("input[name=login]", demo["merchant_email"])
    page.fill("input[name=password]", demo["merchant_password"])
    page.keyboard.press("Enter")


def exchange(service: Embedded, program: Program, client_id: str, code: str) -> dict[str, Any]:
    """What the agent gets for the code."""
    form = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "code_verifier": VERIFIER,
        "redirect_uri": program.callback,
        "resource": f"{service.base_url}/mcp",
    }
    with urlopen(f"{service.base_url}/oauth/token", urlencode(form).encode()) as answer:  # noqa: S310 - as above
        body: dict[str, Any] = json.load(answer)
    return body


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 390)])
def test_a_person_signs_in_and_allows(
    chromium: Browser, service: Embedded, program: Program, scheme: str, width: int
) -> None:
    context = chromium.new_context(
        color_scheme="dark" if scheme == "dark" else "light", viewport={"width": width, "height": 900}
    )
    visit = visit_in(context)
    client_id = register(service, program, f"Helpful Agent {scheme}")
    page = visit.open(link(service, program, client_id, MONEY))
    sign_in(page, service)
    expect(page.get_by_test_id("redirect-host")).to_contain_text(urlsplit(program.callback).netloc)
    expect(page.get_by_test_id("localhost-warning")).to_be_visible()
    expect(page.get_by_label("At most per refund or payout")).to_have_value("1000.00")
    visit.picture(f"consent-test-{scheme}-{width}")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert (visit.complaints, visit.violations()) == ([], [])
    page.get_by_label("At most per refund or payout").fill("25")
    page.get_by_role("button", name="Allow").click()
    expect(page).to_have_title("Agent")
    [answer] = program.answers
    assert {key: answer[key] for key in ("state", "iss")} == {"state": "state-of-the-agent", "iss": service.base_url}
    assert exchange(service, program, client_id, answer["code"])["scope"].split() == sorted(MONEY.split())
    steps_up(visit, service, program, client_id, f"{scheme}-{width}")
    assert visit.complaints == []
    context.close()


def steps_up(visit: Visit, service: Embedded, program: Program, client_id: str, name: str) -> None:
    """The same agent asks for more, and is told no."""
    page = visit.open(link(service, program, client_id, f"{MONEY} refunds:write"))
    expect(page.get_by_test_id("step-up")).to_be_visible()
    expect(page.get_by_label("At most per refund or payout")).to_have_value("25.00")
    visit.picture(f"consent-step-up-{name}")
    assert faults(page) == []
    page.get_by_role("button", name="Cancel").click()
    expect(page).to_have_title("Agent")
    assert program.answers[-1]["error"] == "access_denied"


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1100), ("light", 390)])
def test_live_asks_who_is_there_again(
    chromium: Browser, live_service: Embedded, program: Program, scheme: str, width: int
) -> None:
    context = chromium.new_context(
        color_scheme="dark" if scheme == "dark" else "light",
        viewport={"width": width, "height": 900},
        java_script_enabled=False,
    )
    visit = visit_in(context)
    client_id = register(live_service, program, "Careful Agent")
    page = visit.open(link(live_service, program, client_id, MONEY))
    sign_in(page, live_service)
    page.get_by_role("link", name="Live").click()
    expect(page.get_by_role("heading", name="Confirm it is you")).to_be_visible()
    page.fill("input[name=password]", demo_file(live_service)["merchant_password"])
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_test_id("mode-band")).to_contain_text("LIVE")
    expect(page.get_by_label("At most per refund or payout")).to_have_value("0.00")
    visit.picture(f"consent-live-{scheme}-{width}")
    page.get_by_label("At most per refund or payout").fill("ten")
    page.get_by_role("button", name="Allow in live mode").click()
    expect(page.get_by_text("Write an amount in dollars")).to_be_visible()
    visit.picture(f"consent-live-error-{scheme}-{width}")
    page.get_by_label("At most per refund or payout").fill("10")
    page.get_by_role("button", name="Allow in live mode").click()
    expect(page).to_have_title("Agent")
    assert set(program.answers[0]) == {"code", "state", "iss"}
    context.close()


@pytest.fixture(scope="module")
def live_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """A service whose demo merchant may lend live mode without a second factor."""
    folder = tmp_path_factory.mktemp("live-service")
    with embedded(folder, free_port(), RATE_LIMIT_SCALE="1000", REQUIRE_SECOND_FACTOR_FOR_LIVE="false") as running:
        yield running
