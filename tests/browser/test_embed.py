"""The checkout on a shop's own page, of another origin and with a strict policy."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.hosts import Host, names, told
from tests.browser.payer import PATIENCE_MS, WALLETS, new_intent
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded


@pytest.fixture(scope="module")
def key(service: Embedded) -> str:
    """The demo merchant's publishable key of test mode."""
    made: str = json.loads((service.folder / "demo.json").read_text())["test_publishable_key"]
    return made


@pytest.mark.parametrize("family", ["evm", "solana"])
def test_three_clicks_in_the_frame_to_settled(
    visit: Visit, service: Embedded, shop: Caller, key: str, family: str
) -> None:
    intent = new_intent(shop)["id"]
    frame = Host(visit.page.context, service.base_url).open(visit.page, key, intent)
    frame.get_by_test_id("wallet-option").filter(has_text=WALLETS[family]).click()
    frame.get_by_test_id("token-option").first.click(timeout=PATIENCE_MS)
    frame.get_by_test_id("pay-button").click(timeout=PATIENCE_MS)
    expect(frame.get_by_test_id("status-title")).to_have_text("Paid.", timeout=PATIENCE_MS)
    visit.picture(f"embed-{family}")
    assert shop.get(f"/payment-intents/{intent}").body["status"] == "settled"
    assert names(visit.page) == ["ready", "wallet", "wallet", "quoted", "processing", "settled"]
    heard = told(visit.page)
    assert {event["intent"] for event in heard} == {intent}
    assert [event["seq"] for event in heard] == list(range(1, len(heard) + 1))
