"""A local Solana with a local Jupiter, and one payer who wants to pay one merchant."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from solders.keypair import Keypair

from chains.clients.solana_endpoint import Rpc, SolanaNode
from chains.clients.solana_reads import NodeReads
from chains.registry import SOLANA_NATIVE_ADDRESS, chain
from core.modes import Mode
from core.money import BaseUnits
from localnet.jupiter import LocalJupiter
from localnet.solana.money import USDC, USDT
from localnet.solana.server import DevSolana
from payments.routing.base import Asset, LegKind, Prepared, RouteOffer, RouteRequest, SigningOrder
from payments.routing.jupiter.provider import JupiterProvider

ONE_SOL = 10**9
TARGET = 25_000_000


Body = dict[str, Any]


def _asset(symbol: str, address: str, decimals: int, price: str) -> Asset:
    names = {"symbol": symbol, "name": symbol, "address": address}
    return Asset(chain="solana", decimals=decimals, usd_price=Decimal(price), **names)


ASSETS = {
    "USDC": _asset("USDC", USDC, 6, "1"),
    "USDT": _asset("USDT", USDT, 6, "1"),
    "SOL": _asset("SOL", SOLANA_NATIVE_ADDRESS, 9, "150"),
}


class InProcess(Rpc):
    """Questions to a node of this very process, without the detour over HTTP."""

    def __init__(self, node: DevSolana) -> None:
        super().__init__("")
        self.node = node

    def call(self, method: str, *parameters: Any) -> Any:
        return self.node.rpc(method, *parameters)


def reads(node: DevSolana) -> NodeReads:
    """What an exchange reads, from this node alone."""
    known = chain("solana")
    assert known is not None
    asked = SolanaNode(rpc=InProcess(node), chain=known, head=node.head())
    return NodeReads(lambda question: question(asked))


@dataclass
class Scene:
    """One payer with 1,000 of each dollar and 10 SOL, one merchant, and the provider between them."""

    node: DevSolana
    jupiter: LocalJupiter
    payer: Keypair = field(default_factory=Keypair)
    merchant: str = field(default_factory=lambda: str(Keypair().pubkey()))
    tag: UUID = field(default_factory=uuid4)

    def __post_init__(self) -> None:
        self.provider = JupiterProvider(lambda _name: reads(self.node))
        self.node.fund(self.wallet, 10 * ONE_SOL)
        self.node.mint(USDT, self.wallet, 1_000_000_000)
        self.node.mint(USDC, self.wallet, 1_000_000_000)
        self.node.fund(self.merchant, ONE_SOL)

    @property
    def wallet(self) -> str:
        return str(self.payer.pubkey())

    def request(self, source: str = "USDT", destination: str = "USDC", target: int = TARGET) -> RouteRequest:
        return RouteRequest(
            mode=Mode.LIVE,
            payer_address=self.wallet,
            source=ASSETS[source],
            destination=ASSETS[destination],
            recipient=self.merchant,
            target_base_units=BaseUnits(target),
        )

    def offer(self, request: RouteRequest) -> RouteOffer:
        [offer] = self.provider.offers(request)
        return offer

    def order(self, request: RouteRequest, most: int = 10**12) -> SigningOrder:
        return SigningOrder(
            tag=str(self.tag), request=request, kind=LegKind.SWAP, tool="metis", most_input_base_units=BaseUnits(most)
        )

    def prepare(self, request: RouteRequest, most: int = 10**12) -> Prepared:
        return self.provider.prepare(self.order(request, most))

    def pay(self, prepared: Prepared) -> str:
        """Sign and send it, as a wallet does; the signature."""
        return self.node.send(self.payer, prepared.unsigned["transaction_base64"])

    def held(self, owner: str) -> dict[str, int]:
        tokens = {symbol: self.node.held(ASSETS[symbol].address, owner) for symbol in ("USDC", "USDT")}
        return tokens | {"SOL": self.node.lamports(owner)}


def gained(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {symbol: after[symbol] - before[symbol] for symbol in before if after[symbol] != before[symbol]}
