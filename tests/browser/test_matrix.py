"""Every scenario for both kinds of wallet, hosted and in a shop's frame: it ends in the right words and status.

Where the wallet or the price refuses, nothing was sent. Each test plays EVM and Solana at once, because a page mostly
waits; the pages are used again and again, and the test clock stands for every long wait. On its own page the scenario
is chosen in the test panel, in the frame by the intent's metadata.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, expect

from checkout.words.problems import PROBLEMS
from payments.explanation import Situation
from payments.explanation.payer_words import PAYER_WORDS
from payments.scenarios import Group, scenarios
from tests.browser.conftest import Visit, visit_in
from tests.browser.hosts import Host
from tests.browser.payer import WALLETS, Where, choose_token, choose_wallet, new_intent, part, press_pay, until
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded

NAMES = ("title", "money", "next")
UNMOVED = PAYER_WORDS[Situation.REQUIRES_PAYMENT].money
MOST_PRESSES = 6


@dataclass(frozen=True, kw_only=True)
class Ending:
    """What the page says in the end, and what the API knows then."""

    said: tuple[str, str, str]
    status: str
    received: str = "0.00"


def situation(code: str, status: str, received: str = "0.00") -> Ending:
    """An ending that the service tells."""
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
"""Seconds of the test clock, and what the payer reads then. Why not in the frame: the clock is the same there."""
TOLD_ALWAYS = ("in_doubt", "partial")
"""One that ends as the payer hopes, after a long wait, and one that does not; `make test-all` tells them all."""
GO_ON = ("decline", "locked", "request_pending", "wrong_network", "account_changed", "no_gas")
"""After these the payer goes on with the same page, and pays."""


def test_every_scenario_for_payers_has_its_ending() -> None:
    assert set(ENDINGS) == {scenario.name for scenario in scenarios().values() if scenario.for_payers}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One payment of the matrix: who pays what, and where the checkout is drawn."""

    family: str
    name: str
    intent: str
    visit: Visit
    where: Where
    hosted: bool

    @property
    def ending(self) -> Ending:
        """How it ends, after the last of the waits."""
        if self.name in WAITS and self.hosted:
            return PAID
        of_family = OF_SOLANA if self.family == "solana" else {}
        return of_family.get(self.name, ENDINGS[self.name])

    def play(self) -> None:
        """Go as far as the scenario lets one."""
        choose_wallet(self.where, self.family)
        if self.name in AT_THE_WALLET or (self.family, self.name) == ("solana", "wrong_network"):
            return
        choose_token(self.where, int(scenarios()[self.name].group is Group.NETWORK))
        if scenarios()[self.name].group is not Group.PRICE:
            press_pay(self.where)

    def expect_words(self, said: tuple[str, ...]) -> None:
        """What happened, where the money is, what to do now: exactly these."""
        for place, words in zip(NAMES, said, strict=True):
            expect(part(self.where, f"status-{place}")).to_have_text(words)

    def expect_at_api(self, shop: Caller) -> None:
        """Status and money; and that nothing was sent where the page says so."""
        ending = self.ending
        until(shop, f"/payment-intents/{self.intent}", ending.status, hurry=False)
        assert shop.get(f"/payment-intents/{self.intent}").body["amount_received"] == ending.received
        legs = shop.get(f"/payment-intents/{self.intent}/transactions").body["data"]
        is_unsent = ending.said in {tuple(parts) for parts in PROBLEMS.values()} or ending.said[1] == UNMOVED
        assert [leg["tx_hash"] for leg in legs if leg["tx_hash"] and is_unsent] == []

    def expect_no_complaint(self) -> None:
        """Of the browser, on the page and in the frame."""
        assert (self.family, self.visit.complaints, self.visit.violations()) == (self.family, [], [])


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where checkouts are drawn: on pages of their own, or in frames on the page of a shop per kind of wallet."""

    visits: dict[str, Visit]
    hosts: dict[str, Host]
    key: str

    def open(self, shop: Caller, name: str) -> list[Cell]:
        """A page of each kind of wallet, on a new intent that plays the scenario."""
        return [self._cell(shop, family, name) for family in WALLETS]

    def _cell(self, shop: Caller, family: str, name: str) -> Cell:
        visit, host = self.visits[family], self.hosts.get(family)
        visit.complaints.clear()  # what another scenario has to answer for
        intent = new_intent(shop, "settle" if host is None else name)
        where: Where
        if host is None:
            where = visit.open(intent["checkout_url"])
            part(where, "scenario-select").select_option(name)
        else:
            where = host.open(visit.page, self.key, intent["id"])
        return Cell(family=family, name=name, intent=intent["id"], visit=visit, where=where, hosted=host is None)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("hosted", marks=pytest.mark.xdist_group("matrix, hosted")),
        pytest.param("embedded", marks=[pytest.mark.xdist_group("matrix, embedded"), pytest.mark.exhaustive]),
    ],
)
def place(chromium: Browser, service: Embedded, shop: Caller, request: pytest.FixtureRequest) -> Iterator[Place]:
    """A page for each kind of wallet, in one profile."""
    context = chromium.new_context(viewport={"width": 1100, "height": 900})
    in_shop = request.param == "embedded"
    origins = {family: f"http://{family}.localhost:8899" for family in WALLETS if in_shop}
    yield Place(
        visits={family: visit_in(context) for family in WALLETS},
        hosts={family: Host(context, service.base_url, origin) for family, origin in origins.items()},
        key=service.demo["test_publishable_key"],
    )
    context.close()


@pytest.mark.spec("What the service does: test mode")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in TOLD_ALWAYS else pytest.mark.exhaustive) for name in ENDINGS]
)
def test_a_scenario_ends_in_its_words_and_its_status(place: Place, shop: Caller, name: str) -> None:
    cells = place.open(shop, name)
    for cell in cells:
        cell.play()
    let_time_pass(cells, shop)
    for cell in cells:
        cell.expect_words(cell.ending.said)
        cell.expect_at_api(shop)
        cell.expect_no_complaint()
    if cells[0].hosted and name in GO_ON:
        go_on(cells[0].where)


def let_time_pass(cells: list[Cell], shop: Caller) -> None:
    """Have the test clock stand for the long waits; each time the page says what they look like."""
    for seconds, code in WAITS.get(cells[0].name, []) if cells[0].hosted else []:
        for cell in cells:
            until(shop, f"/payment-intents/{cell.intent}", "executing", hurry=False)
        shop.post("/test-helpers/clock/advance", {"seconds": seconds})
        for cell in cells:
            cell.expect_words(situation(code, "").said)


def go_on(page: Where) -> None:
    """The payer goes on: it ends paid."""
    part(page, "scenario-select").select_option("approve")
    assert any(is_paid_or_goes_on(page) for _ in range(MOST_PRESSES))


def is_paid_or_goes_on(page: Where) -> bool:
    """Whether it is paid; if not, press what the page offers next."""
    offers = page.locator("[data-testid=pay-button],[data-testid=token-option],[data-testid=wallet-option]")
    paid = page.get_by_text("Paid.", exact=True)
    expect(offers.locator("visible=true").or_(paid).first).to_be_visible()
    if paid.count():
        return True
    before = part(page, "panel").get_attribute("data-panel")
    offers.locator("visible=true").first.click()
    expect(part(page, "panel")).not_to_have_attribute("data-panel", str(before))
    return False
