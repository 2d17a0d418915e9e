"""Every scenario for both kinds of wallet on the hosted page: it ends in the right words and status.

Where the wallet or the price refuses, nothing was sent. Each test plays EVM and Solana at once, because a page mostly
waits; the test clock stands for every long wait. That a shop's frame is the same page: tests/checkout/test_embed_page.
"""

from dataclasses import dataclass

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from checkout.words.problems import PROBLEMS
from payments.explanation import Situation
from payments.explanation.payer_words import PAYER_WORDS
from payments.scenarios import Group, scenarios
from tests.browser.conftest import visit_in
from tests.browser.payer import WALLETS, choose_token, choose_wallet, new_intent, part, press_pay, until
from tests.journeys.http_caller import Caller

NAMES = ("title", "money", "next")
UNMOVED = PAYER_WORDS[Situation.REQUIRES_PAYMENT].money


@dataclass(frozen=True, kw_only=True)
class Ending:
    """What the page says in the end, and what the API knows then."""

    said: tuple[str, str, str]
    status: str
    received: str = "0.00"


def situation(code: str, status: str, received: str = "0.00") -> Ending:
    words = PAYER_WORDS[Situation(code)]
    return Ending(said=(words.happened, words.money, words.next), status=status, received=received)


def problem(code: str, status: str) -> Ending:
    """An ending that the page tells: nothing was sent."""
    parts = PROBLEMS[code]
    return Ending(said=(parts.happened, parts.money, parts.next), status=status)


PAID = situation("settled", "settled", "25.00")
ENDINGS: dict[str, Ending] = {
    "settle": PAID,
    "partial": situation("partially_filled", "partially_filled", "15.00"),
    "overpay": situation("settled_overpaid", "settled", "27.50"),
    "late": situation("late_payment", "expired", "25.00"),
    "fail_execution": situation("execution_failed", "requires_payment"),
    "fail": situation("failed", "failed"),
    "bridge_refund": situation("bridge_refunded", "requires_payment"),
    "in_doubt": situation("in_doubt", "executing"),
    "reorg": PAID,
    "stuck": situation("executing", "executing"),
    "replaced": PAID,
    "quote_expired": situation("quote_lapsed", "requires_payment"),
    "fail_route": situation("route_unavailable", "requires_payment"),
    "decline": problem("declined", "requires_payment"),
    "locked": problem("locked", "requires_payment"),
    "request_pending": problem("request_pending", "requires_payment"),
    "wrong_network": problem("wrong_network", "awaiting_signature"),
    "unknown_network": PAID,
    "account_changed": problem("account_changed", "awaiting_signature"),
    "no_gas": problem("no_gas", "requires_payment"),
    "split": PAID,
    "empty": situation("requires_payment", "requires_payment"),
}
OF_SOLANA = {
    "wrong_network": problem("wrong_network", "requires_payment"),
    "unknown_network": problem("unknown_network", "awaiting_signature"),
}
"""Where Solana wallets differ: they are on the right network or share no account, and nobody can add one."""
AT_THE_WALLET = ("locked", "request_pending", "empty")
"""Scenarios that end before a token can be chosen; on Solana also ``wrong_network``."""
WAITS = {"stuck": [(1, "executing"), (3600, "settled")], "in_doubt": [(1, "in_doubt"), (600, "settled")]}
"""Seconds of the test clock, and what the payer reads then."""
TOLD_ALWAYS = ("in_doubt", "partial")
"""One that ends as the payer hopes, after a long wait, and one that does not; `make test-all` tells them all."""


def test_every_scenario_for_payers_has_its_ending() -> None:
    assert set(ENDINGS) == {scenario.name for scenario in scenarios().values() if scenario.for_payers}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One payment of the matrix: a kind of wallet on a page of its own."""

    family: str
    name: str
    intent: str
    page: Page

    @property
    def ending(self) -> Ending:
        """How it ends, after the last of the waits."""
        if self.name in WAITS:
            return PAID
        of_family = OF_SOLANA if self.family == "solana" else {}
        return of_family.get(self.name, ENDINGS[self.name])

    def play(self) -> None:
        """Go as far as the scenario lets one."""
        part(self.page, "scenario-select").select_option(self.name)
        choose_wallet(self.page, self.family)
        if self.name in AT_THE_WALLET or (self.family, self.name) == ("solana", "wrong_network"):
            return
        choose_token(self.page, int(scenarios()[self.name].group is Group.NETWORK))
        if scenarios()[self.name].group is not Group.PRICE:
            press_pay(self.page)

    def expect_words(self, said: tuple[str, ...]) -> None:
        """What happened, where the money is, what to do now: exactly these."""
        for place, words in zip(NAMES, said, strict=True):
            expect(part(self.page, f"status-{place}")).to_have_text(words)

    def expect_at_api(self, shop: Caller) -> None:
        """Status and money; and that nothing was sent where the page says so."""
        ending = self.ending
        until(shop, f"/payment-intents/{self.intent}", ending.status, hurry=False)
        assert shop.get(f"/payment-intents/{self.intent}").body["amount_received"] == ending.received
        legs = shop.get(f"/payment-intents/{self.intent}/transactions").body["data"]
        is_unsent = ending.said in {tuple(parts) for parts in PROBLEMS.values()} or ending.said[1] == UNMOVED
        assert [leg["tx_hash"] for leg in legs if leg["tx_hash"] and is_unsent] == []


@pytest.mark.spec("What the service does: test mode")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in TOLD_ALWAYS else pytest.mark.exhaustive) for name in ENDINGS]
)
def test_a_scenario_ends_in_its_words_and_its_status(context: BrowserContext, shop: Caller, name: str) -> None:
    visits, cells = {family: visit_in(context) for family in WALLETS}, []
    for family, visit in visits.items():
        intent = new_intent(shop)
        page = visit.open(intent["checkout_url"])
        cells.append(Cell(family=family, name=name, intent=intent["id"], page=page))
    for cell in cells:
        cell.play()
    for seconds, code in WAITS.get(name, []):
        for cell in cells:
            until(shop, f"/payment-intents/{cell.intent}", "executing", hurry=False)
        shop.post("/test-helpers/clock/advance", {"seconds": seconds})
        for cell in cells:
            cell.expect_words(situation(code, "").said)
    for cell in cells:
        cell.expect_words(cell.ending.said)
        cell.expect_at_api(shop)
        visits[cell.family].is_quiet()
