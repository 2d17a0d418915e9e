"""A payer who holds another token than the merchant wants, and pays through LI.FI on nodes that carry its calls out."""

from dataclasses import dataclass
from typing import Any

from eth_account.signers.local import LocalAccount

from localnet.lifi import Lifi
from localnet.market import Asset, bundled
from payments.models import RouteCandidate
from tests.live.conftest import Till
from tests.live.node import DevChain

GAS_COINS = 10**17
EXCHANGE_GAS = 750_000
DEEP_ENOUGH = 50
"""Blocks after which Base and Arbitrum count as final here."""


def asset(chain: str, symbol: str) -> Asset:
    """A token that the service knows."""
    return next(one for one in bundled() if (one.chain, one.symbol) == (chain, symbol))


@dataclass(kw_only=True)
class Buyer(Till):
    """A merchant's live intent, and what its payer pays with."""

    shop: Lifi
    paid: Asset = asset("base", "USDT")
    wanted: Asset = asset("base", "USDC")

    @property
    def source(self) -> DevChain:
        """The payer's chain."""
        return self.shop.nodes[self.paid.chain]

    def pays(self, paid: Asset, wanted: Asset, units: int) -> None:
        """Give the payer so much of one token, and let the merchant want another."""
        self.paid, self.wanted = paid, wanted
        self.chain, self.token, self.symbol = wanted.chain, wanted.address, wanted.symbol
        self.node = self.shop.nodes[wanted.chain]
        self.source.fund(self.payer.address, GAS_COINS + (units if paid.is_native else 0))
        if not paid.is_native:
            self.source.mint(paid.address, self.payer.address, units)

    def quoted(self, amount: str = "25") -> dict[str, Any]:
        """The attempt with its quote in the payer's token."""
        page = self.open(amount)
        tokens = page.connect()
        place = (self.paid.chain, self.paid.address)
        [chosen] = [token for token in tokens if (token["chain"], token["token_address"]) == place]
        return page.choose(chosen)

    def issue(self, amount: str = "25", **fields: Any) -> dict[str, Any]:
        """The whole way to what the wallet is asked to sign; the attempt."""
        attempt = self.quoted(amount)
        assert attempt["status"] == "quoted", self.page and self.page.state()
        issued = self.accept(attempt)
        assert issued["status"] == "awaiting_signature", issued
        return issued

    def accept(self, attempt: dict[str, Any]) -> dict[str, Any]:
        """Press pay, and let a worker prepare; the attempt then."""
        assert self.page is not None
        self.page.act("start", {"attempt_id": attempt["id"]})
        self.sweep()
        now: dict[str, Any] = self.page.state()["attempt"]
        return now

    def sign(self, attempt: dict[str, Any], payer: LocalAccount | None = None) -> str:
        """Approve what is asked and send the call, as a wallet does; its hash."""
        for approval in self.approvals():
            self.source.send(payer or self.payer, approval)
        [unsigned] = attempt["transactions"]
        return self.source.send(payer or self.payer, unsigned["request"], gas=EXCHANGE_GAS)

    def approvals(self) -> list[dict[str, str]]:
        """The calls that the wallet is asked to send before the payment."""
        found: list[dict[str, str]] = self.leg().issued["approvals"]
        return found

    def weighed(self) -> list[tuple[str, bool, str | None]]:
        """Every route that was weighed: provider, whether it was chosen, and why not."""
        rows = RouteCandidate.objects.filter(intent_id=self.intent["id"])
        return list(rows.values_list("provider", "chosen", "error"))

    def arrive(self) -> dict[str, Any]:
        """Let relayers and workers go on until everything is final; the intent."""
        self.sweep()
        self.shop.relayer.work()
        self.source.mine(DEEP_ENOUGH)
        if self.node is not self.source:
            self.node.mine(DEEP_ENOUGH)
        return self.sweep(3)

    def spent(self, before: int) -> int:
        """What the payer has less of its token than before."""
        return before - self.source.balance(self.paid.address, self.payer.address)
