"""The checkout on a shop's own page, of another origin and with a strict policy."""

import pytest

from tests.browser.conftest import Visit
from tests.browser.hosts import Host, names, told
from tests.browser.payer import expect_title, new_intent, pay
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded


@pytest.mark.parametrize("family", ["evm", "solana"])
def test_three_clicks_in_the_frame_to_settled(
    visit: Visit, service: Embedded, shop: Caller, key: str, family: str
) -> None:
    intent = new_intent(shop)["id"]
    frame = Host(visit.page.context, service.base_url).open(visit.page, key, intent)
    pay(frame, family)
    expect_title(frame, "Paid.")
    visit.picture(f"embed-{family}")
    assert shop.get(f"/payment-intents/{intent}").body["status"] == "settled"
    assert names(visit.page) == ["ready", "wallet", "wallet", "quoted", "processing", "settled"]
    heard = told(visit.page)
    assert {event["intent"] for event in heard} == {intent}
    assert [event["seq"] for event in heard] == list(range(1, len(heard) + 1))
