"""Consent in a real browser: a person signs in and allows an agent, which asks for more and is told no."""

import base64
import hashlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.people import sign_in
from tests.journeys.programs import Embedded

VERIFIER = "a-verifier-that-is-long-enough-to-be-one-0123456789"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
MONEY = "payment_intents:read tokens:read webhooks:verify payouts:write"
PAGE = "<!doctype html><html lang=en><link rel=icon href=data:,><title>Agent</title><h1>You can close this page.</h1>"
LIMIT = "At most per refund or payout"


@pytest.fixture
def callback(tmp_path: Path) -> Iterator[str]:
    """A loopback address, on which desktop agents listen."""
    (tmp_path / "callback.html").write_text(PAGE)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/callback.html"
        server.shutdown()


def answered(page: Page, button: str) -> dict[str, str]:
    """What the agent is told once the person pressed this."""
    page.get_by_role("button", name=button).click()
    expect(page).to_have_title("Agent")
    return dict(parse_qsl(urlsplit(page.url).query))


def test_a_person_signs_in_and_allows(any_screen: Visit, service: Embedded, callback: str) -> None:
    page, server = any_screen.page, f"{service.base_url}/oauth"
    name = {"client_name": f"Helpful Agent {any_screen.screen}", "token_endpoint_auth_method": "none"}
    client_id = page.request.post(f"{server}/register", data={**name, "redirect_uris": [callback]}).json()["client_id"]
    agent = {"client_id": client_id, "redirect_uri": callback, "resource": f"{service.base_url}/mcp"}
    proof = {"code_challenge": CHALLENGE, "code_challenge_method": "S256", "state": "state-of-the-agent"}
    asked = {**agent, **proof, "response_type": "code"}

    any_screen.open(f"{server}/authorize?{urlencode({**asked, 'scope': MONEY})}")
    sign_in(page, service)
    expect(page.get_by_test_id("redirect-host")).to_contain_text(urlsplit(callback).netloc)
    expect(page.get_by_test_id("localhost-warning")).to_be_visible()
    expect(page.get_by_label(LIMIT)).to_have_value("1000.00")
    any_screen.look("consent-test")
    page.get_by_label(LIMIT).fill("25")
    told = answered(page, "Allow")
    assert {key: told[key] for key in ("state", "iss")} == {"state": "state-of-the-agent", "iss": service.base_url}
    form = {**agent, "grant_type": "authorization_code", "code": told["code"], "code_verifier": VERIFIER}
    granted = page.request.post(f"{server}/token", form=form).json()
    assert granted["scope"].split() == sorted(MONEY.split())

    any_screen.open(f"{server}/authorize?{urlencode({**asked, 'scope': f'{MONEY} refunds:write'})}")
    expect(page.get_by_test_id("step-up")).to_be_visible()
    expect(page.get_by_label(LIMIT)).to_have_value("25.00")
    any_screen.look("consent-step-up")
    assert answered(page, "Cancel")["error"] == "access_denied"
