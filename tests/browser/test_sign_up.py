"""From nothing to live mode, in a real browser: sign up, enrol a passkey, sign out, sign in by the passkey alone."""

import re
from secrets import token_hex

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.journeys.programs import Embedded
from tests.machine import wait_until

PASSWORD = "four calm words here"
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def plug_in_a_passkey_device(page: Page) -> None:
    """A device that keeps passkeys and always says that its owner was there."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


def mailed_link(service: Embedded, word: str) -> str:
    """The newest link of a kind that the worker printed, since no mail server is set."""
    pattern = re.compile(rf"{service.base_url}/accounts/{word}/[A-Za-z0-9_=-]{{20,}}/")
    links: list[str] = wait_until(lambda: pattern.findall(service.program.printed()), f"a mailed {word} link")
    return links[-1]


def test_from_nothing_to_live_mode(any_screen: Visit, service: Embedded) -> None:
    visit, page, email = any_screen, any_screen.page, f"founder-{token_hex(4)}@new.example"
    plug_in_a_passkey_device(page)
    signs_up(visit, service, email)
    enrols_a_passkey(visit, service)
    page.goto(f"{service.base_url}/accounts/logout/")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    page.goto(f"{service.base_url}/dashboard/live/")
    visit.look("sign-up-sign-in")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_title(re.compile(r"^\[LIVE\] Home · Calm Bakery$"))
    visit.look("sign-up-live")


def signs_up(visit: Visit, service: Embedded, email: str) -> None:
    """The address, the mailed link, the password, the test dashboard; live mode is still locked."""
    page = visit.open(f"{service.base_url}/accounts/signup/")
    visit.look("sign-up-first")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Name of your business").fill("Calm Bakery")
    page.get_by_role("button", name="Send me a link").click()
    expect(page.get_by_role("heading", name="Look at your mail")).to_be_visible()
    visit.look("sign-up-sent")
    page.goto(mailed_link(service, "signup"))
    visit.look("sign-up-password")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Open my dashboard").click()
    expect(page).to_have_title("[TEST] Home · Calm Bakery")
    page.goto(f"{service.base_url}/dashboard/live/")
    expect(page.get_by_role("heading", name="Live mode opens with a second factor")).to_be_visible()
    visit.forgive("status of 403")


def enrols_a_passkey(visit: Visit, service: Embedded) -> None:
    """Adding one asks first who it is, and gives recovery codes."""
    page = visit.page
    page.get_by_role("link", name="Add a second factor").click()
    visit.look("sign-up-factors")
    page.get_by_role("link", name="Add a passkey").click()
    page.fill("input[name=password]", PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    visit.look("sign-up-add")
    page.get_by_label("Name").fill("Laptop")
    expect(page.get_by_label("Sign in with it alone")).to_be_checked()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    visit.look("sign-up-codes")
    page.goto(f"{service.base_url}/accounts/2fa/webauthn/")
    expect(page.get_by_text("signs in alone")).to_be_visible()
    visit.look("sign-up-passkeys")
    page.goto(f"{service.base_url}/accounts/sessions/")
    expect(page.get_by_text("Chrome on Linux")).to_be_visible()
    visit.look("sign-up-sessions")
