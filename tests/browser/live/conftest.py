"""The local network, the service in live mode over it, a merchant, and a payer with wallets that sign."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from solders.keypair import Keypair

from localnet import jupiter, lifi
from localnet.addresses import NATIVE
from localnet.devchain import DevChain, fresh_wallet
from localnet.lifi import Lifi
from localnet.market import Asset, bundled
from localnet.nodes import running_all
from localnet.solana.server import DevSolana
from localnet.solana.server import running as running_solana
from tests.browser.conftest import Visit, visit_in
from tests.browser.live.wallets import EvmWallet, SolanaWallet, install
from tests.browser.payer import LOOK_SECONDS, part
from tests.journeys.http_caller import Caller
from tests.journeys.programs import Embedded, embedded
from tests.machine import own_port, wait_until

CHAINS = ("ethereum", "base")
MINING = ("--block-time", "1", "--mixed-mining", "--slots-in-an-epoch", "1")
MOST_PRESSES = 3
ASKED_AGAIN = "The price changed before your wallet was asked."
RICH = 10**9
NAMES = {"evm": "Signing wallet", "solana": "Signing Solana wallet"}


@pytest.fixture(scope="package")
def nodes() -> Iterator[dict[str, DevChain]]:
    """EVM chains whose blocks come by themselves."""
    with running_all(CHAINS, *MINING) as running:
        yield running


@pytest.fixture(scope="package")
def ledger() -> Iterator[DevSolana]:
    with running_solana() as node:
        yield node


@pytest.fixture(scope="package")
def aggregator(nodes: dict[str, DevChain], ledger: DevSolana) -> Iterator[Lifi]:
    with lifi.serving(nodes, solana=ledger) as server:
        yield server


@pytest.fixture(scope="package")
def live_service(
    tmp_path_factory: pytest.TempPathFactory, nodes: dict[str, DevChain], aggregator: Lifi, ledger: DevSolana
) -> Iterator[Embedded]:
    with jupiter.serving(ledger) as exchange:
        settings = {f"RPC_URLS_{chain.upper()}": node.url for chain, node in nodes.items()}
        settings |= {"RPC_URLS_SOLANA": ledger.url, "LIFI_URL": aggregator.url, "JUPITER_URL": exchange.url}
        folder = tmp_path_factory.mktemp("live")
        settings |= {"NETWORK_PROFILE": "localnet", "RATE_LIMIT_SCALE": "1000"}
        settings |= {"REQUIRE_SECOND_FACTOR_FOR_LIVE": "false"}
        with embedded(folder, own_port(), **settings) as running:
            yield running


@pytest.fixture(scope="package")
def merchant(live_service: Embedded) -> Caller:
    return Caller(base_url=live_service.base_url, key=live_service.demo["live_secret_key"])


@pytest.fixture
def endpoint(merchant: Caller) -> Iterator[str]:
    """Where the merchant is told of this test's payment. Why a name that leads nowhere: live events never stay here."""
    wanted = {"url": "https://hooks.shop.example/live", "events": ["payment_intent.settled"]}
    made = merchant.post("/webhook-endpoints", wanted)
    assert made.status == 201, made.raw
    yield made.body["id"]
    merchant.send("DELETE", f"/webhook-endpoints/{made.body['id']}")


def fresh_address(chain: str) -> str:
    """An address on that chain that nobody used before."""
    return str(Keypair().pubkey()) if chain == "solana" else fresh_wallet().address


def asset(chain: str, symbol: str) -> Asset:
    return next(one for one in bundled() if (one.chain, one.symbol) == (chain, symbol))


@dataclass(kw_only=True)
class Person:
    """Somebody at a browser, with a wallet of each kind in it, on the chains of the local network."""

    merchant: Caller
    nodes: Mapping[str, DevChain]
    ledger: DevSolana
    context: BrowserContext
    evm: EvmWallet
    solana: SolanaWallet = field(default_factory=SolanaWallet)
    visit: Visit | None = None

    @property
    def page(self) -> Page:
        assert self.visit is not None
        return self.visit.page

    def give(self, chain: str, symbol: str) -> None:
        """Give the wallet on that chain coins for fees, and the token."""
        token = asset(chain, symbol)
        if chain == "solana":
            self.ledger.fund(self.solana.address, 10**10)
            if symbol != "SOL":
                self.ledger.mint(token.address, self.solana.address, RICH)
            return
        self.nodes[chain].fund(self.evm.address, 10**18)
        if token.address != NATIVE:
            self.nodes[chain].mint(token.address, self.evm.address, 1000 * 10**token.decimals)

    def held_by(self, address: str, chain: str, symbol: str) -> int:
        """What an address holds of a token."""
        token = asset(chain, symbol).address
        return self.ledger.held(token, address) if chain == "solana" else self.nodes[chain].balance(token, address)

    def complaints(self) -> list[str]:
        assert self.visit is not None
        return [*self.visit.complaints, *self.visit.violations()]


@dataclass(kw_only=True)
class Shop(Person):
    """One intent of a merchant whose address nobody used before, and its payer on the page."""

    endpoint: str
    intent: dict[str, Any] = field(default_factory=dict)
    address: str = ""

    def open(self, chain: str = "base", symbol: str = "USDC") -> Page:
        self.address = fresh_address(chain)
        place = {"settlement_chain": chain, "settlement_token": symbol, "settlement_address": self.address}
        made = self.merchant.post("/payment-intents", {"amount": 25, **place})
        assert made.status == 201, made.raw
        self.intent = made.body
        self.visit = visit_in(self.context)
        return self.visit.open(self.intent["checkout_url"])

    def choose(self, family: str, chain: str, symbol: str) -> None:
        """First and second click: the wallet, and one of its tokens."""
        part(self.page, "wallet-option").get_by_text(NAMES[family], exact=True).click()
        wanted = self.page.locator(f"[data-testid=token-option][data-chain={chain}][data-symbol={symbol}]")
        wanted.click()
        expect(part(self.page, "quote-pay-at-most")).to_contain_text(symbol)

    def press_pay(self) -> None:
        """Third click; again where the firm price was worse than the one agreed to."""
        for _ in range(MOST_PRESSES):
            part(self.page, "pay-button").click()
            title = part(self.page, "status-title")
            expect(title).not_to_have_text("Preparing your payment")
            if title.inner_text() != ASKED_AGAIN:
                return

    def title(self, words: str) -> None:
        expect(part(self.page, "status-title")).to_have_text(words)

    def held(self) -> int:
        return self.held_by(self.address, self.intent["settlement_chain"], self.intent["settlement_token"])

    def read(self) -> dict[str, Any]:
        return dict(self.merchant.get(f"/payment-intents/{self.intent['id']}").body)

    def legs(self) -> list[dict[str, Any]]:
        found = self.merchant.get(f"/payment-intents/{self.intent['id']}/transactions").body
        return list(found["data"])

    def told(self) -> list[str]:
        sent = self.merchant.get(f"/webhook-endpoints/{self.endpoint}/deliveries").body["data"]
        return [one["event_type"] for one in sent]

    def settled(self) -> dict[str, Any]:
        """Wait for the end as everybody sees it: page, chain, API and webhook; the one leg."""
        self.title("Paid.")
        assert self.held() >= 25_000_000
        intent = self.read()
        assert (intent["status"], intent["amount_due"]) == ("settled", "0.00")
        wait_until(lambda: self.told() == ["payment_intent.settled"], "the webhook", poll=LOOK_SECONDS)
        assert self.complaints() == []
        [leg] = [one for one in self.legs() if one["status"] == "confirmed"]
        return leg


@pytest.fixture
def shop(
    chromium: Browser, merchant: Caller, endpoint: str, nodes: dict[str, DevChain], ledger: DevSolana
) -> Iterator[Shop]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    made = Shop(merchant=merchant, nodes=nodes, ledger=ledger, context=context, evm=EvmWallet(nodes), endpoint=endpoint)
    install(context, made.evm, made.solana)
    yield made
    context.close()
