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
def test_every_scenario_ends_in_its_words_for_both_wallets(chromium: Browser, shop: Caller) -> None:
    """All pages at once. Why: each one mostly waits, so together they take as long as the slowest."""
    cases = [(scenario, family) for scenario in ENDINGS for family in WALLETS]
    visits = {case: visit_in(chromium.new_context()) for case in cases}
    for (scenario, family), visit in visits.items():
        choose_wallet(visit.open(new_intent(shop, scenario)["checkout_url"]), family)
    for (scenario, _), visit in visits.items():
        choose_token(visit.page, 1)
        if scenario != "fail_route":
            press_pay(visit.page)
    for case, visit in visits.items():
        words = CATALOGUE[ENDINGS[case[0]]]
        expect(part(visit.page, "status-title")).to_have_text(words.happened, timeout=2 * PATIENCE_MS)
        shown = [part(visit.page, f"status-{name}").inner_text() for name in ("title", "money", "next")]
        assert (case, shown) == (case, [words.happened, words.money, words.next])
        assert (case, visit.complaints, visit.violations()) == (case, [], [])
        visit.picture("scenario-" + "-".join(case))
        visit.page.context.close()
