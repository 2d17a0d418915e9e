"""A merchant sends refunds from the wallet in its browser: real signatures, real nodes, a page that says the truth."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from localnet.devchain import DevChain, fresh_wallet
from localnet.solana.server import DevSolana
from tests.browser.conftest import visit_in
from tests.browser.live.conftest import NAMES, Person, Shop, fresh_address
from tests.browser.live.wallets import EvmWallet, install
from tests.browser.looks import faults
from tests.browser.payer import LOOK_SECONDS, part
from tests.browser.people import confirm, sign_in
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded
from tests.machine import wait_until

pytestmark = pytest.mark.exhaustive
TWO_DOLLARS = 2_000_000
Paid = Callable[[str, str], dict[str, Any]]
_paid: dict[tuple[str, str], dict[str, Any]] = {}


@dataclass(kw_only=True)
class Desk(Person):
    """One refund, and the wallets in the browser of its merchant."""

    service: Embedded
    refund: dict[str, Any] = field(default_factory=dict)
    destination: str = ""

    @property
    def chain(self) -> str:
        return str(self.refund["chain"])

    def order(self, intent: dict[str, Any]) -> None:
        """Make a refund of two dollars to a payer whose address nobody used before."""
        self.destination = fresh_address(intent["settlement_chain"])
        body = {"intent_id": intent["id"], "amount_usd": 2, "destination": self.destination}
        made = self.merchant.post("/refunds", body)
        assert made.status == 201, made.raw
        self.refund = made.body

    def endow(self) -> None:
        self.give(self.chain, self.refund["token"])

    def read(self) -> dict[str, Any]:
        return dict(self.merchant.get(f"/refunds/{self.refund['id']}").body)

    def open(self, page: str = "") -> Page:
        """Go to the refund's own page, or one below it."""
        url = f"{self.service.base_url}/dashboard/live/refunds/{self.refund['id']}/{page}"
        self.page.goto(url)
        confirm(self.page, self.service)
        return self.page

    def open_signing(self) -> Page:
        """Wait until a worker ordered the transfer, then go where it is signed."""
        page = self.open()

        def is_ordered() -> bool:
            page.reload()
            return page.get_by_role("link", name="Send from your wallet", exact=True).count() > 0

        wait_until(is_ordered, "the order", poll=LOOK_SECONDS)
        return self.open("sign/")

    def connect(self) -> None:
        """Choose the wallet, and wait until there is something to sign."""
        family = "solana" if self.chain == "solana" else "evm"
        self.page.get_by_role("button", name=NAMES[family], exact=True).click()
        expect(part(self.page, "sign")).to_be_visible()

    def press_send(self) -> None:
        part(self.page, "sign").click()

    def stage(self, words: str) -> None:
        expect(part(self.page, "stage-title")).to_have_text(words)

    def refused(self, words: str) -> None:
        expect(part(self.page, "refused")).to_contain_text(words)

    def held(self) -> int:
        return self.held_by(self.destination, self.chain, self.refund["token"])


@pytest.fixture
def paid(shop: Shop) -> Paid:
    """A settled intent over 25 dollars, the same for all tests, since each refunds a part."""

    def made(chain: str, symbol: str) -> dict[str, Any]:
        if (chain, symbol) not in _paid:
            shop.give(chain, symbol)
            shop.open(chain, symbol)
            shop.choose("solana" if chain == "solana" else "evm", chain, symbol)
            shop.press_pay()
            shop.settled()
            _paid[chain, symbol] = shop.intent
        return _paid[chain, symbol]

    return made


@pytest.fixture
def desk(
    chromium: Browser,
    live_service: Embedded,
    merchant: Caller,
    nodes: dict[str, DevChain],
    ledger: DevSolana,
) -> Iterator[Desk]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    made = Desk(
        merchant=merchant, service=live_service, nodes=nodes, ledger=ledger, context=context, evm=EvmWallet(nodes)
    )
    install(context, made.evm, made.solana)
    made.visit = visit_in(context)
    sign_in(made.visit.open(f"{live_service.base_url}/accounts/login/"), live_service)
    yield made
    context.close()


def begin(desk: Desk, intent: dict[str, Any]) -> None:
    """A refund is ordered, its wallet holds enough and is connected, and is asked."""
    desk.order(intent)
    desk.endow()
    desk.open_signing()
    desk.connect()
    desk.press_send()


def expect_paid(desk: Desk) -> None:
    """The page, the service and the payer's address agree, and the browser had nothing to complain about."""
    desk.stage("Paid")
    assert (desk.read()["status"], desk.held(), desk.complaints()) == ("paid", TWO_DOLLARS, [])


@pytest.mark.parametrize(
    ("chain", "symbol", "asked"),
    [("base", "USDC", ["eth_signTypedData_v4"]), ("ethereum", "USDT", []), ("solana", "USDC", [])],
    ids=["authorized", "plain", "solana, where the service sends"],
)
def test_a_wallet_sends_a_refund(desk: Desk, paid: Paid, chain: str, symbol: str, asked: list[str]) -> None:
    begin(desk, paid(chain, symbol))
    expect_paid(desk)
    assert part(desk.page, "tx-hash").inner_text() == desk.read()["tx_hash"]
    assert [name for name in desk.evm.asked if "sign" in name.lower()] == asked
    assert len(desk.evm.sent) == (chain != "solana")
    expect(part(desk.open(), "refund-status")).to_have_text("Paid")
    assert desk.complaints() == []


def _recipient(request: dict[str, Any]) -> dict[str, Any]:
    return {**request, "data": request["data"][:10] + fresh_wallet().address[2:].rjust(64, "0") + request["data"][74:]}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_wallet_that_sends_elsewhere_is_refused_and_the_right_one_pays(
    desk: Desk, paid: Paid, scheme: Literal["light", "dark"], width: int
) -> None:
    """Every step of it is accessible and fits."""
    desk.order(paid("ethereum", "USDT"))
    desk.endow()
    desk.open_signing().emulate_media(color_scheme=scheme)
    desk.page.set_viewport_size({"width": width, "height": 900})
    found = {"connect": faults(desk.page)}
    desk.connect()
    found["sign"] = faults(desk.page)
    desk.evm.changed = _recipient
    desk.press_send()
    desk.refused("That transaction is not this refund. Press send again and confirm exactly what is shown.")
    found["refused"] = faults(desk.page)
    assert (desk.read()["status"], desk.held()) == ("pending", 0)
    desk.evm.changed = None
    desk.press_send()
    expect_paid(desk)
    found["paid"] = faults(desk.page)
    assert found == dict.fromkeys(found, [])


def test_an_owner_who_declines_has_sent_nothing(desk: Desk, paid: Paid) -> None:
    desk.evm.declines = {1}
    begin(desk, paid("ethereum", "USDT"))
    desk.refused("You declined it in your wallet. Nothing was sent.")
    desk.page.reload()
    confirm(desk.page, desk.service)
    expect(part(desk.page, "stage-next")).to_contain_text(f"Connect {desk.evm.address} again")
    desk.connect()
    desk.press_send()
    expect_paid(desk)


def test_a_page_that_was_closed_misses_nothing(desk: Desk, paid: Paid) -> None:
    desk.order(paid("base", "USDC"))
    desk.endow()
    desk.open_signing()
    desk.page.route("**/wallet/sent/", lambda route: route.abort())
    desk.connect()
    desk.press_send()
    desk.refused("The service cannot be reached.")
    desk.page.goto("about:blank")
    wait_until(lambda: desk.read()["status"] == "paid", "the refund", poll=LOOK_SECONDS)
    assert desk.held() == TWO_DOLLARS
