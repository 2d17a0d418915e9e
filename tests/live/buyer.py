"""A payer who holds another token than the merchant wants, and pays through LI.FI on nodes that carry its calls out."""

from dataclasses import dataclass
from typing import Any

from localnet.lifi import Lifi
from localnet.market import Asset, bundled
from localnet.nodes import DevChain
from tests.live.evm_till import Till

GAS_COINS = 10**17
EXCHANGE_GAS = 750_000
DEEP_ENOUGH = 50
"""Blocks after which Base and Arbitrum count as final here."""


def asset(chain: str, symbol: str) -> Asset:
    return next(one for one in bundled() if (one.chain, one.symbol) == (chain, symbol))


@dataclass(kw_only=True)
class Buyer(Till):
    """A merchant's live intent, and what its payer pays with."""

    shop: Lifi
    paid: Asset = asset("base", "USDT")
    wanted: Asset = asset("base", "USDC")

    @property
    def source(self) -> DevChain:
        return self.shop.nodes[self.paid.chain]

    def pays(self, paid: Asset, wanted: Asset, units: int) -> None:
        """Give the payer so much of one token, and let the merchant want another."""
        self.paid, self.wanted = paid, wanted
        self.chain, self.token, self.symbol = wanted.chain, wanted.address, wanted.symbol
        self.node = self.shop.nodes[wanted.chain]
        self.source.fund(self.payer.address, GAS_COINS + (units if paid.is_native else 0))
        if not paid.is_native:
            self.source.mint(paid.address, self.payer.address, units)

    @property
    def pays_with(self) -> tuple[str, str]:
        return self.paid.chain, self.paid.address

    def pay(self, attempt: dict[str, Any]) -> str:
        """Approve what is asked and send the call, as a wallet does; its hash."""
        for approval in self.approvals():
            self.source.send(self.payer, approval)
        [unsigned] = attempt["transactions"]
        return self.source.send(self.payer, unsigned["request"], gas=EXCHANGE_GAS)

    def approvals(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.leg().issued["approvals"]
        return found

    def arrive(self) -> dict[str, Any]:
        """Let relayers and workers go on until everything is final; the intent."""
        self.sweep()
        self.shop.relayer.work()
        self.source.mine(DEEP_ENOUGH)
        if self.node is not self.source:
            self.node.mine(DEEP_ENOUGH)
        return self.sweep(3)

    def spent(self, before: int) -> int:
        return before - self.source.balance(self.paid.address, self.payer.address)
