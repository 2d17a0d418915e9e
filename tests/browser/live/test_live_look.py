"""How the live page looks and weighs on the way to a payment that needs an approval."""

import gzip
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Response, expect

from tests.browser.live.conftest import NAMES, Shop
from tests.browser.looks import faults
from tests.browser.payer import part
from tests.browser.test_look import MOST_BYTES, MOST_REQUESTS

pytestmark = pytest.mark.exhaustive


def looked_at(shop: Shop, name: str, width: int) -> list[str]:
    """Keep a picture; what anyone could stumble over."""
    assert shop.visit is not None
    shop.visit.picture(f"live-{name}")
    assert shop.page.evaluate("document.documentElement.scrollWidth") == width
    return faults(shop.page)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_every_step_of_an_approval_and_a_payment(shop: Shop, scheme: Literal["light", "dark"], width: int) -> None:
    shop.evm.declines = {2}
    shop.give("ethereum", "USDT")
    page = shop.open("ethereum", "USDC")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    found = {"wallets": looked_at(shop, f"wallets-{scheme}", width)}
    part(page, "wallet-option").get_by_text(NAMES["evm"], exact=True).click()
    token = page.locator("[data-testid=token-option][data-chain=ethereum][data-symbol=USDT]")
    expect(token).to_be_visible()
    found["tokens"] = looked_at(shop, f"tokens-{scheme}", width)
    token.click()
    expect(part(page, "pay-button")).to_be_visible()
    found["quote"] = looked_at(shop, f"quote-{scheme}", width)
    page.evaluate("window.walletWaits = true")
    shop.press_pay()
    expect(part(page, "sign-hint")).to_contain_text("Step 1 of 2: allow LI.FI")
    found["approve"] = looked_at(shop, f"approve-{scheme}", width)
    page.evaluate("window.walletWaits = false")
    shop.title("You declined the payment in your wallet.")
    expect(part(page, "open-allowance")).to_be_visible()
    found["open allowance"] = looked_at(shop, f"allowance-{scheme}", width)
    assert found == dict.fromkeys(found, [])
    assert shop.visit is not None
    assert (shop.visit.complaints, shop.visit.violations()) == ([], [])


def test_what_a_live_payer_loads_before_a_wallet_is_asked_is_light(shop: Shop) -> None:
    answers: list[Response] = []
    shop.context.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - the driver takes no built-in
    shop.open()
    shop.page.wait_for_load_state("networkidle")
    files = [answer for answer in answers if "/api/" not in answer.url]
    assert {urlsplit(answer.url).netloc for answer in answers} == {urlsplit(shop.page.url).netloc}
    assert len(files) <= MOST_REQUESTS, [answer.url for answer in files]
    assert sum(len(gzip.compress(answer.body())) for answer in files) <= MOST_BYTES
