"""Accounts that send over real nodes. Each test has accounts of its own; the nodes are shared."""

from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from pytest_django import Settings

from core.clock import now
from core.secrets import Sealed
from localnet.addresses import NATIVE
from localnet.nodes import DevChain, running_all
from merchants.models import Merchant
from tests.live.evm_till import BASE_USDC, BNB_USDC
from tests.live.money_out.treasury import BLOCKS_GO, GOING, SLOTS, Treasury
from tests.live.proxy import Proxy, proxied
from tokens.models import Token
from tokens.services import record_usd_price

ETHEREUM_USDT = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
ASSETS = {
    "base USDC": ("base", BASE_USDC, 6),
    "bnb USDC": ("bnb", BNB_USDC, 18),
    "ethereum USDT": ("ethereum", ETHEREUM_USDT, 6),
    "base ether": ("base", NATIVE, 18),
}
"""A token that answers, one with 18 decimals, one that answers nothing, and a coin."""
LOW_BASE_FEE = 10**7


@pytest.fixture(scope="session")
def out_nodes() -> Iterator[dict[str, DevChain]]:
    """Nodes for these tests alone, since they hold up blocks."""
    with running_all(("base", "bnb", "ethereum"), *SLOTS) as made:
        yield made


@pytest.fixture
def out_node(out_nodes: dict[str, DevChain]) -> Iterator[DevChain]:
    """Base's node, which puts transactions into blocks at once unless a test says otherwise."""
    node = out_nodes["base"]
    node.rpc("anvil_setNextBlockBaseFeePerGas", hex(LOW_BASE_FEE))
    node.mine()
    yield node
    node.rpc(*BLOCKS_GO)
    node.rpc("anvil_dropAllTransactions")


@pytest.fixture(autouse=True)
def priced(prices: None) -> None:
    """Coins have a price, so that they can be held against caps."""


@pytest.fixture
def opened(
    out_nodes: dict[str, DevChain],
    out_node: DevChain,
    nodes: Callable[..., None],
    merchant: Merchant,
    settings: Settings,
    impatient: None,
) -> Callable[..., Treasury]:
    """Opens an account for an asset, with tokens and coin; the service has one address of its node."""

    def open_account(asset: str = "base USDC", *, owner: Merchant = merchant, endowed: bool = True) -> Treasury:
        chain, token, decimals = ASSETS[asset]
        nodes(chain, out_nodes[chain].url)
        made = Treasury(node=out_nodes[chain], chain=chain, token=token, decimals=decimals, merchant=owner)
        key = Sealed(made.key.key.hex().encode())
        settings.SIGNER_SECRETS = {**settings.SIGNER_SECRETS, made.name: key}
        for coin in Token.objects.filter(chain=chain, address=NATIVE):
            record_usd_price(coin, Decimal(2500), now(), "one")
        if endowed:
            made.endow()
        return made

    return open_account


@pytest.fixture
def treasury(opened: Callable[..., Treasury]) -> Treasury:
    """An account on Base with 1,000 USDC and some ether."""
    return opened()


@pytest.fixture
def second(treasury: Treasury, nodes: Callable[..., None]) -> Iterator[Proxy]:
    """A second way to Base's node, honest until it is told to lie, asked after the first one."""
    with proxied(treasury.node.url) as made:
        nodes("base", treasury.node.url, made.url)
        yield made


@pytest.fixture(params=["first", "second"])
def liar(request: pytest.FixtureRequest, second: Proxy, treasury: Treasury, nodes: Callable[..., None]) -> Proxy:
    """One of two nodes that may lie; it is asked first or second."""
    if request.param == "first":
        nodes("base", second.url, treasury.node.url)
    return second


@pytest.fixture
def only(treasury: Treasury, nodes: Callable[..., None]) -> Iterator[Proxy]:
    with proxied(treasury.node.url) as made:
        nodes("base", made.url)
        yield made


@pytest.fixture
def paused(out_node: DevChain) -> Iterator[Callable[[bool], None]]:
    """Stops a token's contract, and lets it go on; it goes on for the next test."""

    def pause(value: bool) -> None:
        giver = out_node.web3.eth.accounts[0]
        sent = out_node.token(BASE_USDC).functions.pause(value).transact({"from": giver, "gas": 100_000})
        out_node.mine()
        out_node.await_receipt(sent)

    yield pause
    out_node.rpc(*BLOCKS_GO)
    pause(GOING)
