"""Live mode over a real node: a merchant with live keys, prices, a payer's wallet, and workers that come round."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import orjson
import pytest
from eth_account.signers.local import LocalAccount
from pytest_django import Settings

from chains.clients.registry import EVM
from core.clock import now
from payments.models import Credit, Leg, PaymentIntent
from payments.services.advance import sweep_due
from tests.conftest import ApiClient
from tests.live.node import DevChain, fresh_wallet, running
from tests.payments.payer import Payer
from tests.payments.world import create, events, history, read
from tokens.models import Token
from tokens.services import record_usd_price

BASE_USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
BNB_USDC = "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"
DEEP_ENOUGH = 8
"""Blocks after which Base counts as final here."""


@pytest.fixture(scope="session")
def base_node() -> Iterator[DevChain]:
    """One node with Base's chain id for all tests; each uses wallets of its own."""
    with running(8453) as node:
        node.place("TestToken", BASE_USDC)
        yield node


@pytest.fixture
def nodes(settings: Settings) -> Iterator[Callable[..., None]]:
    """Says which addresses the service has for the nodes of a chain."""

    def use(chain: str, *urls: str) -> None:
        settings.NETWORK_PROFILE = "localnet"
        settings.RPC_URLS = {**settings.RPC_URLS, chain: list(urls)}
        EVM.forget()

    yield use
    EVM.forget()


@dataclass
class Till:
    """A merchant's live intent, its payer, and the chain between them."""

    api: ApiClient
    node: DevChain
    chain: str = "base"
    token: str = BASE_USDC
    symbol: str = "USDC"
    payer: LocalAccount = field(default_factory=fresh_wallet)
    merchant: str = field(default_factory=lambda: fresh_wallet().address)
    intent: dict[str, Any] = field(default_factory=dict)
    page: Payer | None = None

    def open(self, amount: str = "25", **fields: Any) -> Payer:
        """Create the intent and open its page with the payer's wallet."""
        place = {"settlement_chain": self.chain, "settlement_token": self.symbol, "settlement_address": self.merchant}
        self.intent = create(self.api, amount=orjson.Fragment(amount), **place, **fields)
        self.page = Payer.of(self.intent, "evm", self.payer.address)
        return self.page

    def issue(self, amount: str = "25", **fields: Any) -> dict[str, Any]:
        """The whole way to what the wallet is asked to sign; the attempt."""
        page = self.open(amount, **fields)
        tokens = page.connect()
        [wanted] = [token for token in tokens if token["token_address"] == self.token]
        attempt = page.choose(wanted)
        assert attempt["status"] == "quoted", page.state()
        page.act("start", {"attempt_id": attempt["id"]})
        sweep_due()
        issued: dict[str, Any] = page.state()["attempt"]
        assert issued["status"] == "awaiting_signature", issued
        return issued

    def report(self, attempt: dict[str, Any], tx_hash: str) -> None:
        """Tell the service a hash."""
        assert self.page is not None
        self.page.report(attempt, 1, tx_hash)

    def sweep(self, times: int = 1) -> dict[str, Any]:
        """Let workers come round so often; the intent as the API shows it then."""
        for _ in range(times):
            PaymentIntent.objects.filter(pk=self.intent["id"]).update(next_attempt_at=now())
            sweep_due()
        return read(self.api, self.intent)

    def finish(self) -> dict[str, Any]:
        """Let the chain go on until everything on it is final, with workers at work."""
        self.sweep()
        self.node.mine(DEEP_ENOUGH)
        return self.sweep(2)

    def leg(self) -> Leg:
        """The one leg."""
        return Leg.objects.get(intent_id=self.intent["id"])

    def credited(self) -> list[int]:
        """What was credited to the intent, reversed credits left out."""
        rows = Credit.objects.filter(intent_id=self.intent["id"], reversed_at=None).order_by("id")
        return list(rows.values_list("base_units", flat=True))

    def held(self) -> int:
        """What the merchant's address holds of the token on the chain."""
        return int(self.node.token(self.token).functions.balanceOf(self.merchant).call())

    def told(self) -> list[str]:
        """The events of the intent."""
        return events(self.intent)

    def passed(self) -> list[str]:
        """The statuses that the intent was in."""
        return history(self.intent)


@pytest.fixture
def prices(db: None) -> None:
    """What things cost, fresh, by two sources that agree."""
    for token in Token.objects.filter(verified=True):
        for source in ("one", "other"):
            record_usd_price(token, Decimal(1 if token.is_usd_stablecoin else 2500), now(), source)


@pytest.fixture
def till(live_api: ApiClient, base_node: DevChain, nodes: Callable[..., None], prices: None) -> Till:
    """A payer on Base with 1,000 USDC and some ether."""
    nodes("base", base_node.url)
    made = Till(api=live_api, node=base_node)
    base_node.fund(made.payer.address)
    base_node.mint(BASE_USDC, made.payer.address, 1_000_000_000)
    return made
