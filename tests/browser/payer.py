"""What a payer does on the hosted page, in the page's own words; and what the merchant's program does about it."""

from typing import Any

from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded
from tests.machine import wait_until

Where = Page | FrameLocator
"""A page of its own, or the frame on a shop's page."""
LISTEN = """() => {
  window.clicked = false;
  addEventListener("click", () => { clicked = true; }, { capture: true, once: true });
}"""
MOST_TRIES = 3
WALLETS = {"evm": "Test wallet (EVM)", "solana": "Test wallet (Solana)"}
LOOK_SECONDS = 0.1
"""How often the service is asked what became of something."""
STEP_SECONDS = 60
"""What is given of the test clock at once: more than the simulated chain takes for one step."""
ON_ITS_WAY = ("executing", "pending", "processing")
"""What intents and refunds are while the chain has the word."""


def new_intent(shop: Caller, simulate: str = "settle", **more: Any) -> dict[str, Any]:
    """An intent over 25 dollars that plays a scenario."""
    answer = shop.post("/payment-intents", {"amount": 25, "metadata": {"simulate": simulate}, **more})
    assert answer.status == 201, answer.raw
    body: dict[str, Any] = answer.body
    return body


def live_intent(service: Embedded) -> dict[str, Any]:
    """An intent over 25 dollars in live mode, which nobody can pay."""
    live = Caller(base_url=service.base_url, key=service.demo["live_secret_key"])
    place = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": f"0x{'11' * 20}"}
    answer = live.post("/payment-intents", {"amount": 25, **place})
    assert answer.status == 201, answer.raw
    body: dict[str, Any] = answer.body
    return body


def pay_without_page(shop: Caller, intent: str, scenario: str | None = None) -> None:
    body = {} if scenario is None else {"scenario": scenario}
    assert shop.post(f"/test-helpers/payment-intents/{intent}/pay", body).status == 200


def settled_intent(shop: Caller) -> str:
    intent: str = new_intent(shop)["id"]
    pay_without_page(shop, intent)
    until(shop, f"/payment-intents/{intent}", "settled")
    return intent


def until(shop: Caller, path: str, status: str, *, hurry: bool = True) -> None:
    """Wait until an intent or a refund has this status; the test clock stands for the chain's time.

    Why only while money is on its way: nothing expires then. ``hurry``: False where a page plays on the same clock.
    """

    def is_there() -> bool:
        found = shop.get(path).body["status"]
        if found != status and found in ON_ITS_WAY and hurry:
            assert shop.post("/test-helpers/clock/advance", {"seconds": STEP_SECONDS}).status == 200
        return bool(found == status)

    wait_until(is_there, f"{path} {status}", poll=LOOK_SECONDS)


def part(page: Where, name: str) -> Locator:
    """The part of the page with this test id."""
    return page.get_by_test_id(name)


def click(page: Where, button: Locator) -> None:
    """Click, and in a frame see to it that the frame's document heard it; what it makes of it is the page's own affair.

    Why: a browser without time may still send a click to the page around a frame that has just grown under it.
    """
    if isinstance(page, Page):
        button.click()
        return
    inside, around = page.locator("body"), page.owner.page.locator("body")
    for _ in range(MOST_TRIES):
        for document in (inside, around):
            document.evaluate(LISTEN)
        button.click()
        heard = wait_until(lambda: [each for each in (inside, around) if each.evaluate("() => clicked")], "the click")
        if heard[0] is inside:
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
    choose_wallet(page, family)
    choose_token(page, token)
    press_pay(page)


def expect_title(page: Where, words: str) -> None:
    expect(part(page, "status-title")).to_have_text(words)


def expect_paid(page: Where, shop: Caller, intent: str) -> None:
    """Have the test clock stand for the chain's time, until page and service agree: paid once, in one transaction."""
    until(shop, f"/payment-intents/{intent}", "settled")
    expect_title(page, "Paid.")
    found = shop.get(f"/payment-intents/{intent}").body
    amounts = [found[name] for name in ("amount_received", "amount_due", "overpaid_usd")]
    assert amounts == [found["amount"], "0.00", "0.00"]
    legs = shop.get(f"/payment-intents/{intent}/transactions").body["data"]
    assert [leg["status"] for leg in legs if leg["tx_hash"]] == ["confirmed"]
