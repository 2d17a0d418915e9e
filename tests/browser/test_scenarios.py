"""Every outcome of the list ends on the page in its own words: what happened, where the money is, what to do now."""

import pytest
from playwright.sync_api import Browser, expect

from checkout.messages import CATALOGUE
from payments.scenarios import scenarios
from tests.browser.conftest import visit_in
from tests.browser.payer import PATIENCE_MS, WALLETS, choose_token, choose_wallet, new_intent, part, press_pay
from tests.journeys.http_caller import Caller

ENDINGS = {
    "settle": "settled",
    "partial": "partially_filled",
    "overpay": "settled_overpaid",
    "late": "expired_funded",
    "fail_route": "route_unavailable",
    "fail_execution": "execution_failed",
    "fail": "failed",
    "bridge_refund": "bridge_refunded",
    "in_doubt": "in_doubt",
    "reorg": "settled",
}
"""By scenario: the message a payer ends on."""


def test_every_scenario_for_payers_has_its_words() -> None:
    assert set(ENDINGS) == {scenario.name for scenario in scenarios().values() if scenario.for_payers}


@pytest.mark.spec("What the service does: test mode")
@pytest.mark.parametrize("scenario", list(ENDINGS))
def test_every_scenario_ends_in_its_words_for_both_wallets(chromium: Browser, shop: Caller, scenario: str) -> None:
    """Both wallets at once. Why: each page mostly waits."""
    words = CATALOGUE[ENDINGS[scenario]]
    visits = {family: visit_in(chromium.new_context()) for family in WALLETS}
    for family, visit in visits.items():
        choose_wallet(visit.open(new_intent(shop, scenario)["checkout_url"]), family)
    for visit in visits.values():
        choose_token(visit.page, 1)
        if scenario != "fail_route":
            press_pay(visit.page)
    for family, visit in visits.items():
        expect(part(visit.page, "status-title")).to_have_text(words.happened, timeout=2 * PATIENCE_MS)
        shown = [part(visit.page, f"status-{name}").inner_text() for name in ("title", "money", "next")]
        assert (family, shown) == (family, [words.happened, words.money, words.next])
        assert (family, visit.complaints, visit.violations()) == (family, [], [])
        visit.picture(f"scenario-{scenario}-{family}")
        visit.page.context.close()
