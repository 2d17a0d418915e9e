"""Nodes, LI.FI over them, and a payer who does what a wallet does."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import requests
from eth_account.signers.local import LocalAccount

from localnet.addresses import NATIVE
from localnet.lifi import Lifi, serving
from localnet.market import Asset
from localnet.nodes import DevChain, fresh_wallet, running_all
from tests.machine import PATIENCE_SECONDS

CHAINS = ("ethereum", "base", "arbitrum", "bnb")
RICH_UNITS = 10**24


@pytest.fixture(scope="package")
def network() -> Iterator[dict[str, DevChain]]:
    """Four nodes for all tests; each test uses wallets of its own."""
    with running_all(CHAINS) as nodes:
        yield nodes


@pytest.fixture
def lifi(network: dict[str, DevChain]) -> Iterator[Lifi]:
    """LI.FI, whose relayer works when a test says so."""
    with serving(network, relays=False) as server:
        yield server


@dataclass
class Shopper:
    """Somebody with money of every kind on every chain, who pays a merchant through LI.FI."""

    lifi: Lifi
    wallet: LocalAccount = field(default_factory=fresh_wallet)
    merchant: str = field(default_factory=lambda: fresh_wallet().address)

    def ask(self, path: str, **query: object) -> requests.Response:
        return requests.get(
            self.lifi.url + path, params={name: str(one) for name, one in query.items()}, timeout=PATIENCE_SECONDS
        )

    def order(self, taken: Asset, wanted: Asset, **more: object) -> dict[str, object]:
        return {
            "fromChain": taken.chain_id, "toChain": wanted.chain_id, "fromToken": taken.address,
            "toToken": wanted.address, "fromAddress": self.wallet.address, "toAddress": self.merchant,
        } | more  # fmt: skip

    def enrich(self, taken: Asset) -> None:
        """Get coins, and a lot of a token."""
        node = self.lifi.nodes[taken.chain]
        node.fund(self.wallet.address, RICH_UNITS)
        if not taken.is_native:
            node.mint(taken.address, self.wallet.address, RICH_UNITS)

    def quote_to(self, taken: Asset, wanted: Asset, units: int, **more: object) -> dict[str, Any]:
        """What it takes to deliver so much."""
        self.enrich(taken)
        answer = self.ask("/quote/toAmount", **self.order(taken, wanted, toAmount=units, **more))
        assert answer.status_code == 200, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def pay(self, quote: dict[str, Any]) -> str:
        """Approve what is needed, sign what is asked, and send it; its hash."""
        action = quote["action"]
        node = next(one for one in self.lifi.nodes.values() if one.web3.eth.chain_id == action["fromChainId"])
        token, spender = action["fromToken"]["address"], quote["estimate"]["approvalAddress"]
        if token != NATIVE:
            node.approve(self.wallet, token, spender, int(quote["estimate"]["fromAmount"]))
        return node.send(self.wallet, quote["transactionRequest"])

    def succeeded(self, chain: str, tx_hash: str) -> bool:
        receipt = self.lifi.nodes[chain].web3.eth.get_transaction_receipt(tx_hash)  # type: ignore[arg-type]  # a hash
        return receipt["status"] == 1

    def received(self, wanted: Asset) -> int:
        return self.lifi.nodes[wanted.chain].balance(wanted.address, self.merchant)

    def status(self, tx_hash: str) -> dict[str, Any]:
        told: dict[str, Any] = self.ask("/status", txHash=tx_hash).json()
        return told


@pytest.fixture
def shopper(lifi: Lifi) -> Shopper:
    """A payer and a merchant nobody met before."""
    return Shopper(lifi)
