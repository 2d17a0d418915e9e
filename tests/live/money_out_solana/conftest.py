"""An account that pays over one node, over two of one network, or over one that fails on command."""

from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest
from pytest_django import Settings

from chains.registry import SOLANA_NATIVE_ADDRESS
from core.clock import now
from localnet.solana.server import DevSolana
from merchants.models import Merchant
from tests.live.money_out_solana.treasury import Treasury
from tests.live.proxy import Proxy, proxied
from tokens.models import Token
from tokens.services import record_usd_price


@pytest.fixture
def treasury(
    merchant: Merchant,
    solana_node: DevSolana,
    nodes: Callable[..., None],
    settings: Settings,
    impatient: None,
    prices: None,
) -> Iterator[Treasury]:
    """A merchant's account with 1,000 USDC and one SOL, over one node that takes everything."""
    nodes("solana", solana_node.url)
    made = Treasury(node=solana_node, merchant=merchant, settings=settings)
    for coin in Token.objects.filter(chain="solana", address=SOLANA_NATIVE_ADDRESS):
        record_usd_price(coin, Decimal(150), now(), "one")
    made.endow()
    yield made
    solana_node.drop_next(0)
    solana_node.hold_next(0)


@pytest.fixture
def other(treasury: Treasury, nodes: Callable[..., None]) -> Iterator[Proxy]:
    """A second node of the same network, honest until it is told otherwise; the service asks both."""
    with proxied(treasury.node.url) as made:
        nodes("solana", treasury.node.url, made.url)
        yield made


@pytest.fixture
def only(treasury: Treasury, nodes: Callable[..., None]) -> Iterator[Proxy]:
    with proxied(treasury.node.url) as made:
        nodes("solana", made.url)
        yield made
