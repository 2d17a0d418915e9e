"""From nothing to live mode, in a real browser: sign up, enrol a passkey, sign out, sign in by the passkey alone."""

import re
from secrets import token_hex

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.test_look import faults
from tests.journeys.http_caller import eventually
from tests.journeys.programs import Embedded

PASSWORD = "four calm words here"
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def plug_in_a_passkey_device(context: BrowserContext, page: Page) -> None:
    """A device that keeps passkeys and always says that its owner was there."""
    devtools = context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


def mailed_link(service: Embedded, word: str) -> str:
    """The newest link of a kind that the worker printed, since no mail server is set."""
    pattern = re.compile(rf"{service.base_url}/accounts/{word}/[A-Za-z0-9_=-]{{20,}}/")
    link: str = eventually(
        lambda: (pattern.findall(service.program.printed()) or [None])[-1], 60, f"a mailed {word} link"
    )
    return link


def look(visit: Visit, name: str, width: int) -> None:
    """A page must be accessible, fit, break no rule of its policy, and be worth looking at."""
    visit.picture(f"sign-up-{name}-{width}")
    assert faults(visit.page) == [], name
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert visit.violations() == [], name


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 390)])
def test_from_nothing_to_live_mode(chromium: Browser, service: Embedded, scheme: str, width: int) -> None:
    context = chromium.new_context(
        color_scheme="dark" if scheme == "dark" else "light", viewport={"width": width, "height": 900}
    )
    visit, email = visit_in(context), f"founder-{token_hex(4)}@new.example"
    page = visit.page
    plug_in_a_passkey_device(context, page)
    signs_up(visit, service, email, width)
    enrols_a_passkey(visit, service, width)
    page.goto(f"{service.base_url}/accounts/logout/")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    page.goto(f"{service.base_url}/dashboard/live/")
    look(visit, "sign-in", width)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_title(re.compile(r"^\[LIVE\] Home · Calm Bakery$"))
    look(visit, "live", width)
    manages_the_team(visit, service, width)
    assert visit.complaints == []
    context.close()


def signs_up(visit: Visit, service: Embedded, email: str, width: int) -> None:
    """The address, the mailed link, the password, the test dashboard; live mode is still locked."""
    page = visit.open(f"{service.base_url}/accounts/signup/")
    look(visit, "first", width)
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Name of your business").fill("Calm Bakery")
    page.get_by_role("button", name="Send me a link").click()
    expect(page.get_by_role("heading", name="Look at your mail")).to_be_visible()
    look(visit, "sent", width)
    page.goto(mailed_link(service, "signup"))
    look(visit, "password", width)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Open my dashboard").click()
    expect(page).to_have_title("[TEST] Home · Calm Bakery")
    page.goto(f"{service.base_url}/dashboard/live/")
    expect(page.get_by_role("heading", name="Live mode opens with a second factor")).to_be_visible()
    visit.forgive("status of 403")


def enrols_a_passkey(visit: Visit, service: Embedded, width: int) -> None:
    """Adding one asks first who it is, and gives recovery codes."""
    page = visit.page
    page.get_by_role("link", name="Add a second factor").click()
    look(visit, "factors", width)
    page.get_by_role("link", name="Add a passkey").click()
    page.fill("input[name=password]", PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    look(visit, "add", width)
    page.get_by_label("Name").fill("Laptop")
    expect(page.get_by_label("Sign in with it alone")).to_be_checked()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    look(visit, "codes", width)
    page.goto(f"{service.base_url}/accounts/2fa/webauthn/")
    expect(page.get_by_text("signs in alone")).to_be_visible()
    look(visit, "passkeys", width)
    page.goto(f"{service.base_url}/accounts/sessions/")
    expect(page.get_by_text("Chrome on Linux")).to_be_visible()
    look(visit, "sessions", width)


def manages_the_team(visit: Visit, service: Embedded, width: int) -> None:
    """Invites somebody, and finds all of it in the audit log."""
    page = visit.page
    page.goto(f"{service.base_url}/dashboard/live/team/invite/")
    if "reauthenticate" in page.url:
        page.fill("input[name=password]", PASSWORD)
        page.get_by_role("button", name="Confirm").click()
    page.get_by_label("E-mail address").fill("baker@new.example")
    page.get_by_label("Admin").check()
    look(visit, "invite", width)
    page.get_by_role("button", name="Send the invitation").click()
    expect(page.get_by_text("The invitation is on its way to baker@new.example.")).to_be_visible()
    look(visit, "team", width)
    page.goto(f"{service.base_url}/dashboard/live/audit/")
    for words in ("Invitation sent", "Second factor added", "Merchant account opened", "Signed out"):
        expect(page.get_by_text(words, exact=True).and_(page.locator("strong")).first).to_be_visible()
    look(visit, "audit", width)
