"""A merchant's desk over a real node."""

from collections.abc import Callable

import pytest

from localnet.nodes import DevChain
from merchants.models import Merchant
from tests.live.merchant_wallet.desk import Desk


@pytest.fixture
def desk(merchant: Merchant, base_node: DevChain, nodes: Callable[..., None]) -> Desk:
    """A refund of 25 USDC on Base that waits for its merchant's wallet."""
    nodes("base", base_node.url)
    return Desk(node=base_node, merchant=merchant)
