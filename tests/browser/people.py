"""The demo merchant's owner at a browser: signs in, and says again who sits there where a page asks."""

from playwright.sync_api import Page

from tests.journeys.programs import Embedded


def sign_in(page: Page, service: Embedded) -> None:
    page.fill("input[name=login]", service.demo["merchant_email"])
    page.fill("input[name=password]", service.demo["merchant_password"])
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/accounts/login" not in url)


def confirm(page: Page, service: Embedded) -> None:
    """Say again who it is, if the page asks. Whoever signed in just now is not asked everywhere."""
    if "/reauthenticate" in page.url:
        page.fill("input[name=password]", service.demo["merchant_password"])
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "/reauthenticate" not in url)
