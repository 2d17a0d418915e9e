"""What a payer does on the hosted page, in the page's own words."""

from typing import Any

from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.journeys.http_caller import Caller

PATIENCE_MS = 20_000
Where = Page | FrameLocator
"""A page of its own, or the frame on a shop's page."""
LISTEN = """() => {
  window.clicked = false;
  addEventListener("click", () => { clicked = true; }, { capture: true, once: true });
}"""
HEARD = "() => new Promise((tell) => setTimeout(() => tell(clicked), 250))"
MOST_TRIES = 3
WALLETS = {"evm": "Test wallet (EVM)", "solana": "Test wallet (Solana)"}


def new_intent(shop: Caller, simulate: str = "settle", **more: Any) -> dict[str, Any]:
    """An intent over 25 dollars that plays a scenario."""
    answer = shop.post("/payment-intents", {"amount": 25, "metadata": {"simulate": simulate}, **more})
    assert answer.status == 201, answer.raw
    body: dict[str, Any] = answer.body
    return body


def part(page: Where, name: str) -> Locator:
    """The part of the page with this test id."""
    return page.get_by_test_id(name)


def click(page: Where, button: Locator) -> None:
    """Click, and in a frame see to it that the frame's document heard it; what it makes of it is the page's own affair.

    Why: a browser without time may still send a click to the page around a frame that has just grown under it.
    """
    if isinstance(page, Page):
        button.click(timeout=PATIENCE_MS)
        return
    body = page.locator("body")
    body.evaluate(LISTEN)
    for _ in range(MOST_TRIES):
        button.click(timeout=PATIENCE_MS)
        if body.evaluate(HEARD):
            return
    raise AssertionError("the frame heard no click")


def choose_wallet(page: Where, family: str) -> None:
    """First click: the wallet."""
    click(page, part(page, "wallet-option").filter(has_text=WALLETS[family]))


def choose_token(page: Where, number: int = 0) -> None:
    """Second click: a token of the wallet's list."""
    click(page, part(page, "token-option").nth(number))


def press_pay(page: Where) -> None:
    """Third click: accept the figures; the wallet asks."""
    click(page, part(page, "pay-button"))


def pay(page: Where, family: str = "evm", token: int = 0) -> None:
    """All three clicks."""
    choose_wallet(page, family)
    choose_token(page, token)
    press_pay(page)


def expect_title(page: Where, words: str) -> None:
    """Wait until the page says this of the payment."""
    expect(part(page, "status-title")).to_have_text(words, timeout=PATIENCE_MS)
