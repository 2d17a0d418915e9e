"""How the pages look and weigh: for everyone, at every size, in both colour schemes, with and without scripts."""

import gzip
import json
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Response, expect

from tests.browser.conftest import Visit, visit_in
from tests.browser.payer import choose_token, choose_wallet, expect_title, new_intent, part, pay
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

SERIOUS = {"moderate", "serious", "critical"}
MOST_BYTES, MOST_REQUESTS = 25 * 1024, 12
"""Source: experience goals, Checkout C2."""


def faults(page: Page) -> list[str]:
    """What axe finds that matters to anyone."""
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {node['target']}" for fault in found if fault["impact"] in SERIOUS for node in fault["nodes"]
    ]


def demo_file(service: Embedded) -> dict[str, str]:
    """What the one command wrote down."""
    demo: dict[str, str] = json.loads((service.folder / "demo.json").read_text())
    return demo


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state_of_the_checkout_is_accessible(chromium: Browser, shop: Caller, scheme: str) -> None:
    context = chromium.new_context(color_scheme="dark" if scheme == "dark" else "light")
    visit = visit_in(context)
    page = visit.open(new_intent(shop, reference="order-77")["checkout_url"])
    found = {"open": faults(page)}
    visit.picture(f"open-{scheme}")
    choose_wallet(page, "evm")
    expect(part(page, "token-option").first).to_be_visible(timeout=20_000)
    found["tokens"] = faults(page)
    visit.picture(f"tokens-{scheme}")
    choose_token(page, 1)
    expect(part(page, "pay-button")).to_be_visible(timeout=20_000)
    found["quote"] = faults(page)
    visit.picture(f"quote-{scheme}")
    part(page, "pay-button").click()
    expect_title(page, "Paid.")
    found["paid"] = faults(page)
    visit.picture(f"paid-{scheme}")
    assert found == {"open": [], "tokens": [], "quote": [], "paid": []}
    assert visit.complaints == []
    context.close()


def test_the_narrowest_phone_needs_no_sideways_scrolling(chromium: Browser, shop: Caller) -> None:
    context = chromium.new_context(viewport={"width": 320, "height": 640})
    visit = visit_in(context)
    page = visit.open(new_intent(shop, reference="a-rather-long-order-number-of-this-merchant")["checkout_url"])
    visit.picture("open-320")
    widths = [page.evaluate("document.documentElement.scrollWidth")]
    choose_wallet(page, "evm")
    choose_token(page, 1)
    expect(part(page, "pay-button")).to_be_visible(timeout=20_000)
    visit.picture("quote-320")
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    assert widths == [320, 320]
    context.close()


def test_without_scripts_the_page_says_everything(chromium: Browser, shop: Caller) -> None:
    context = chromium.new_context(java_script_enabled=False)
    visit = visit_in(context)
    page = visit.open(new_intent(shop, reference="order-78")["checkout_url"])
    expect(part(page, "amount")).to_contain_text("25")
    expect(part(page, "status-title")).to_have_text("This payment is ready.")
    expect(part(page, "status-money")).to_be_visible()
    expect(part(page, "status-next")).to_be_visible()
    expect(part(page, "qr")).to_be_visible()
    expect(part(page, "reference")).to_have_text("order-78")
    visit.picture("open-without-scripts")
    context.close()


def test_what_a_payer_loads_is_light(visit: Visit, service: Embedded) -> None:
    """In live mode: the simulated wallets of test mode are no payer's load."""
    live = Caller(base_url=service.base_url, key=demo_file(service)["live_secret_key"])
    intent = live.post(
        "/payment-intents",
        {"amount": 25, "settlement_chain": "base", "settlement_address": "0x1111111111111111111111111111111111111111"},
    ).body
    answers: list[Response] = []
    visit.page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - the driver takes no built-in
    page = visit.open(intent["checkout_url"])
    page.wait_for_load_state("networkidle")
    files = [answer for answer in answers if "/api/" not in answer.url]
    assert {urlsplit(answer.url).netloc for answer in answers} == {urlsplit(service.base_url).netloc}
    assert len(files) <= MOST_REQUESTS, [answer.url for answer in files]
    assert sum(len(gzip.compress(answer.body())) for answer in files) <= MOST_BYTES


def test_the_keyboard_alone_pays(visit: Visit, shop: Caller) -> None:
    page = visit.open(new_intent(shop)["checkout_url"])
    for name in ("wallet-option", "token-option", "pay-button"):
        target = part(page, name).first
        expect(target).to_be_visible(timeout=20_000)
        target.focus()
        page.keyboard.press("Enter")
    expect_title(page, "Paid.")


@pytest.mark.parametrize("path", ["/", "/agents/", "/demo/", "/accounts/login/"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_other_pages_are_accessible(chromium: Browser, service: Embedded, path: str, scheme: str) -> None:
    context = chromium.new_context(color_scheme="dark" if scheme == "dark" else "light")
    visit = visit_in(context)
    page = visit.open(service.base_url + path)
    visit.picture(f"page{path.replace('/', '-')}{scheme}")
    assert faults(page) == []
    assert (visit.complaints, visit.violations()) == ([], [])
    context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1100), ("dark", 390)])
def test_a_merchant_signs_in_and_sees_an_accessible_dashboard(
    chromium: Browser, service: Embedded, scheme: str, width: int
) -> None:
    context = chromium.new_context(
        color_scheme="dark" if scheme == "dark" else "light", viewport={"width": width, "height": 900}
    )
    visit, demo = visit_in(context), demo_file(service)
    page = visit.open(demo["dashboard_url"])
    page.fill("input[name=login]", demo["merchant_email"])
    page.fill("input[name=password]", demo["merchant_password"])
    page.keyboard.press("Enter")
    expect(page).to_have_title("[TEST] Home · Demo Shop")
    visit.picture(f"dashboard-{scheme}-{width}")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert (visit.complaints, visit.violations()) == ([], [])
    context.close()


def test_a_stranger_can_play_the_demo_shop(visit: Visit, service: Embedded) -> None:
    page = visit.open(f"{service.base_url}/demo/")
    page.get_by_role("button", name="Buy").first.click()
    page.wait_for_url("**/checkout/*")
    pay(page)
    expect_title(page, "Paid.")
    page.wait_for_url("**/demo/**", timeout=20_000)
    expect(page.get_by_text("payment_intent.settled").first).to_be_visible(timeout=20_000)
    visit.picture("demo-order")
    assert faults(page) == []
