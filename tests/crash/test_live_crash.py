"""``kill -9`` of a process at each step of a live payment between two chains, with real nodes and a real wallet."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from localnet.lifi import Lifi, serving
from localnet.market import bundled
from localnet.nodes import DevChain, fresh_wallet, running_all
from tests.crash import ordeal
from tests.crash.live_payer import LivePayer
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded, embedded
from tests.machine import own_port, wait_until

pytestmark = [pytest.mark.embedded, pytest.mark.exhaustive]

BLOCK_SECONDS = 0.2
FEED = "from tokens.services import refresh_prices; refresh_prices()"
TOLD = """
import json
from payments.models import Credit
from webhooks.models import Event
told = Event.objects.filter(resource_id={key!r}).order_by("sequence").values_list("type", flat=True)
credited = Credit.objects.filter(intent_id={key!r}, reversed_at=None).values_list("base_units", flat=True)
print(json.dumps([list(told), [int(units) for units in credited]]))
"""
MUST_PASS = {
    *("make_quote (payment_intent.quoted)", "_hand_out", "report_transaction"),
    *("record_sightings (payment_intent.executing)", "record_sightings (payment_intent.settled)"),
}
STEPS = ("make_quote", "request_start", "_hand_out", "report_transaction", "record_sightings")
"""The commits between the wish for a quote and the settled intent, by their functions; what comes before and beside
them is killed in the tests of test mode."""
WHOLE_STORY = ["created", "quoted", "executing", "settled"]
TWENTY_FIVE = 25_000_000


@dataclass
class Market:
    service: Embedded
    nodes: dict[str, DevChain]
    merchant: Caller
    folder: Path

    def pay(self) -> str:
        address, token = fresh_wallet().address, _usdc("arbitrum")
        place = {"settlement_chain": "base", "settlement_token": "USDC", "settlement_address": address}
        answer = self.merchant.insist("/payment-intents", {"amount": 25, **place}, address)
        intent_id: str = answer.body["id"]
        payer = LivePayer(Caller(base_url=self.service.base_url), intent_id, self.nodes["arbitrum"], token)
        payer.node.fund(payer.wallet.address)
        payer.node.mint(token, payer.wallet.address, 10 * TWENTY_FIVE)
        payer.pay()
        assert len(payer.sent) == 1, payer.sent
        held = self.nodes["base"].balance(_usdc("base"), address)
        told, credited = self.told(intent_id)
        assert [event.removeprefix("payment_intent.") for event in told] == WHOLE_STORY
        assert credited == [held]
        assert held >= TWENTY_FIVE
        return intent_id

    def told(self, intent_id: str) -> Any:
        said = self.service.manage("shell", "--no-imports", "-c", TOLD.format(key=intent_id))
        return json.loads(said.splitlines()[-1])


@contextmanager
def _blocks_come(nodes: dict[str, DevChain]) -> Iterator[None]:
    ended = threading.Event()

    def mine() -> None:
        while not ended.wait(BLOCK_SECONDS):
            for node in nodes.values():
                node.mine(2)

    thread = threading.Thread(target=mine, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.fixture
def market(tmp_path: Path) -> Iterator[Market]:
    with running_all(("arbitrum", "base")) as nodes, serving(nodes) as lifi, _blocks_come(nodes):
        places = {f"RPC_URLS_{chain.upper()}": node.url for chain, node in nodes.items()}
        armed = ordeal.armed_environment(tmp_path)
        live = {"NETWORK_PROFILE": "localnet", "LIFI_URL": lifi.url, **places, **armed}
        with embedded(tmp_path, own_port(), **live) as service:
            keys = json.loads(service.manage("create_merchant", "--name", "M", "--email", "m@shop.example", "--json"))
            merchant = Caller(base_url=service.base_url, key=keys["live_secret_key"])
            wait_until(lambda: _is_priced(service, lifi), "prices from LI.FI")
            yield Market(service, nodes, merchant, tmp_path)


def _is_priced(service: Embedded, lifi: Lifi) -> bool:
    """Whether the feed has asked. Why once by hand: the first beat comes half a minute after the start."""
    service.manage("shell", "--no-imports", "-c", FEED)
    return bool(lifi.asked)


def _usdc(chain: str) -> str:
    return next(one.address for one in bundled() if (one.chain, one.symbol) == (chain, "USDC"))


def test_a_kill_at_every_step_of_a_live_payment_changes_nothing(market: Market) -> None:
    steps = [point for point in ordeal.passed(market.folder, market.pay) if point.split()[1] in STEPS]
    reached: set[str] = set()
    for point in steps:
        with ordeal.armed_at(market.folder, point) as armed:
            market.pay()
            reached |= set() if armed.exists() else {point}
    assert ordeal.kinds_of(reached) >= MUST_PASS, sorted(reached)
    *_, said = market.service.manage("shell", "--no-imports", "-c", ordeal.CHECK).splitlines()
    assert json.loads(said) == []
