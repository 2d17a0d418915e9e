"""Live mode over a real node: a merchant with live keys, prices, a payer's wallet, and workers that come round."""

from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from pytest_django import Settings

from chains.clients.registry import EVM, SOLANA
from chains.models import GasAccount
from core.clock import now
from core.modes import Mode
from core.secrets import Sealed
from localnet.jupiter import LocalJupiter
from localnet.jupiter import serving as serving_jupiter
from localnet.lifi import Lifi, serving
from localnet.nodes import DevChain, fresh_wallet, running, running_all
from localnet.solana.server import DevSolana
from localnet.solana.server import running as solana_running
from merchants.models import Merchant
from merchants.principal import Principal
from payments.routing.jupiter.client import forget
from tests.conftest import ApiClient
from tests.live.buyer import Buyer, asset
from tests.live.evm_till import BASE_USDC, Till
from tests.live.merchant_wallet.desk import Desk
from tests.live.proxy import Proxy, proxied
from tests.live.solana_till import SolanaTill
from tests.live.tier import sort_out
from tests.live.till import LiveTill
from tests.machine import PATIENCE_SECONDS, SkippedWaits
from tokens.models import Token, TokenPrice
from tokens.services import record_usd_price


@pytest.fixture(scope="module")
def base_node() -> Iterator[DevChain]:
    """A node with Base's chain id for the tests of a file; each uses wallets of its own.

    Why not one for all: one that made very many blocks forgets what stood in older ones, which a branch asks for.
    """
    with running(8453) as node:
        node.place("TestToken", BASE_USDC)
        yield node


@pytest.fixture(scope="package")
def solana_node() -> Iterator[DevSolana]:
    """One Solana for all tests, whose slots pass with transactions and on command."""
    with solana_running(ticking=False) as node:
        yield node


@pytest.fixture
def nodes(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Says which addresses the service has for the nodes of a chain. However slow they are, none is given up for it.

    And what the service rests between its questions passes at once.
    """
    clock = SkippedWaits()
    for module in ("channel", "endpoints", "evm", "heads", "pool"):
        monkeypatch.setattr(f"chains.clients.{module}.time", clock)
    for name in ("channel.CONNECT_TIMEOUT", "channel.READ_TIMEOUT", "pool.MOST_SECONDS"):
        monkeypatch.setattr(f"chains.clients.{name}", PATIENCE_SECONDS)
    monkeypatch.setattr("payments.routing.lifi.questions.OFFER_SECONDS", PATIENCE_SECONDS)
    for name in ("INTENT_SECONDS", "FREE_SECONDS"):
        monkeypatch.setattr(f"payments.services.budgets.{name}", PATIENCE_SECONDS)
    monkeypatch.setattr("payments.routing.live_balances.PATIENCE_SECONDS", PATIENCE_SECONDS)

    def use(chain: str, *urls: str) -> None:
        settings.NETWORK_PROFILE = "localnet"
        settings.RPC_URLS = {**settings.RPC_URLS, chain: list(urls)}
        forget_nodes()

    yield use
    forget_nodes()


def forget_nodes() -> None:
    """As another worker, that has yet to ask which chains there are."""
    EVM.forget()
    SOLANA.forget()


@pytest.fixture
def prices(db: None) -> None:
    """What things cost, fresh, by two sources that agree."""
    TokenPrice.objects.bulk_create(
        TokenPrice(
            token=token, source=source, price_usd=Decimal(1 if token.is_usd_stablecoin else 2500), priced_at=now()
        )
        for token in Token.objects.filter(verified=True)
        for source in ("one", "other")
    )


@pytest.fixture
def till(live_api: ApiClient, base_node: DevChain, nodes: Callable[..., None], prices: None) -> Till:
    """A payer on Base with 1,000 USDC and some ether."""
    nodes("base", base_node.url)
    made = Till(api=live_api, node=base_node)
    made.endow()
    return made


@pytest.fixture
def gas(till: Till, settings: Settings) -> GasAccount:
    """A gas account with coins, on a node whose USDC takes authorizations."""
    till.node.place("DollarToken", BASE_USDC)
    wallet = fresh_wallet()
    till.node.fund(wallet.address)
    till.node.mint(BASE_USDC, till.payer.address, 1_000_000_000)
    settings.SIGNER_SECRETS = {"gas": Sealed(wallet.key.hex().encode())}
    made: GasAccount = GasAccount.objects.create(
        network="localnet", chain="base", address=wallet.address, backend="secret", key_reference="gas"
    )
    return made


@pytest.fixture
def solana_till(live_api: ApiClient, solana_node: DevSolana, nodes: Callable[..., None], prices: None) -> SolanaTill:
    """A payer on Solana with 1,000 USDC and one SOL."""
    nodes("solana", solana_node.url)
    made = SolanaTill(api=live_api, node=solana_node)
    made.endow()
    return made


@pytest.fixture(scope="package")
def network() -> Iterator[dict[str, DevChain]]:
    """Three nodes with markets and a bridge between them, for all tests."""
    with running_all(("ethereum", "base", "arbitrum")) as made:
        yield made


@pytest.fixture
def lifi(network: dict[str, DevChain], nodes: Callable[..., None], prices: None, settings: Settings) -> Iterator[Lifi]:
    """LI.FI over these nodes, which the service asks; its relayer works when a test says so."""
    with serving(network, relays=False) as server:
        for chain, node in network.items():
            nodes(chain, node.url)
        settings.LIFI_URL, settings.LIFI_API_KEY, settings.LIFI_INTEGRATOR = server.url, "", "causeway"
        yield server


@pytest.fixture
def buyer(live_api: ApiClient, lifi: Lifi) -> Buyer:
    """Somebody with 100 USDC on Arbitrum, who pays USDC on Base."""
    made = Buyer(api=live_api, node=lifi.nodes["base"], shop=lifi)
    made.pays(asset("arbitrum", "USDC"), asset("base", "USDC"), 100_000_000)
    return made


@pytest.fixture
def swapper(buyer: Buyer) -> Buyer:
    """Somebody with 100 USDT on Base, a token that the operator verified, who pays USDC there."""
    bridged = Token.objects.filter(chain="base", symbol="USDT")
    bridged.update(verified=True)
    for source in ("one", "other"):
        record_usd_price(bridged.get(), Decimal(1), now(), source)
    buyer.pays(asset("base", "USDT"), asset("base", "USDC"), 100_000_000)
    return buyer


@pytest.fixture
def caller(merchant: Merchant) -> Principal:
    """The merchant's key in live mode."""
    return Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="key:1")


@pytest.fixture
def desk(merchant: Merchant, base_node: DevChain, nodes: Callable[..., None]) -> Desk:
    """A refund of 25 USDC on Base that waits for its merchant's wallet."""
    nodes("base", base_node.url)
    return Desk(node=base_node, merchant=merchant)


@pytest.fixture(params=["base", "solana"])
def any_till(request: pytest.FixtureRequest, prices: None) -> LiveTill:
    made: LiveTill = request.getfixturevalue({"base": "till", "solana": "solana_till"}[request.param])
    return made


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that leaves a node that failed alone for less long than in earnest."""
    for name in ("endpoints.SHORTEST_PAUSE_SECONDS", "outcomes.WRONG_CHAIN_PAUSE_SECONDS"):
        monkeypatch.setattr(f"chains.clients.{name}", 0)
    monkeypatch.setattr("chains.clients.pool.BACK_OFF_SECONDS", 0.01)


@pytest.fixture
def proxy(any_till: LiveTill, impatient: None) -> Iterator[Proxy]:
    """A proxy before the node of that chain."""
    with proxied(any_till.url()) as made:
        yield made


@pytest.fixture
def jupiter(solana_node: DevSolana, settings: Settings) -> Iterator[LocalJupiter]:
    """A local Jupiter that the service asks."""
    with serving_jupiter(solana_node) as started:
        started.usd = {"SOL": Decimal(2500), "WSOL": Decimal(2500)}
        settings.JUPITER_URL = started.url
        forget()
        yield started
        forget()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort the tests out, before any are chosen by their marks."""
    sort_out(items, is_whole=not any("::" in argument for argument in config.args))
