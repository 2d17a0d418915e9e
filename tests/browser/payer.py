"""What a payer does on the hosted page, in the page's own words."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.journeys.http_caller import Caller

PATIENCE_MS = 20_000
WALLETS = {"evm": "Test wallet (EVM)", "solana": "Test wallet (Solana)"}


def new_intent(shop: Caller, simulate: str = "settle", **more: Any) -> dict[str, Any]:
    """An intent over 25 dollars that plays a scenario."""
    answer = shop.post("/payment-intents", {"amount": 25, "metadata": {"simulate": simulate}, **more})
    assert answer.status == 201, answer.raw
    body: dict[str, Any] = answer.body
    return body


def part(page: Page, name: str) -> Locator:
    """The part of the page with this test id."""
    return page.get_by_test_id(name)


def choose_wallet(page: Page, family: str) -> None:
    """First click: the wallet."""
    part(page, "wallet-option").filter(has_text=WALLETS[family]).click()


def choose_token(page: Page, number: int = 0) -> None:
    """Second click: a token of the wallet's list."""
    part(page, "token-option").nth(number).click(timeout=PATIENCE_MS)


def press_pay(page: Page) -> None:
    """Third click: accept the figures; the wallet asks."""
    part(page, "pay-button").click(timeout=PATIENCE_MS)


def pay(page: Page, family: str = "evm", token: int = 0) -> None:
    """All three clicks."""
    choose_wallet(page, family)
    choose_token(page, token)
    press_pay(page)


def expect_title(page: Page, words: str) -> None:
    """Wait until the page says this of the payment."""
    expect(part(page, "status-title")).to_have_text(words, timeout=PATIENCE_MS)
