"""The words that providers, planner and services share. Values only; nothing here reads or writes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol, TypedDict

from chains.clients.base import BridgeReport
from core.modes import Mode
from core.money import ZERO_USD, BaseUnits, UsdAmount


@dataclass(frozen=True, kw_only=True)
class Asset:
    """A token on a chain, known by (chain, address); the symbol is only for reading."""

    chain: str
    address: str
    symbol: str
    name: str
    decimals: int
    usd_price: Decimal


@dataclass(frozen=True, kw_only=True)
class Holding:
    """What a payer's wallet holds of one asset."""

    asset: Asset
    base_units: BaseUnits


@dataclass(frozen=True, kw_only=True)
class PaymentGoal:
    """What has to arrive, and who pays: a request that leaves the paying asset open."""

    mode: Mode
    payer_address: str
    destination: Asset
    recipient: str
    target_base_units: BaseUnits
    scenario: str = ""


@dataclass(frozen=True, kw_only=True)
class RouteRequest:
    """Bring exactly this much of the settlement asset to the merchant, paying with one asset.

    ``scenario`` scripts the simulated providers; it is empty outside test mode.
    """

    mode: Mode
    payer_address: str
    source: Asset
    destination: Asset
    recipient: str
    target_base_units: BaseUnits
    scenario: str = ""


RouteKey = tuple[str, str, str]
"""Provider, source chain, destination chain: by what figures of routes are kept."""
Risks = Mapping[RouteKey, Decimal]
"""The share of failures of routes; one that is not in it has the share assumed for its kind."""
ASSUMED: Risks = {}


class LegKind(StrEnum):
    """What one signed transaction does on its way."""

    TRANSFER = "transfer"
    SWAP = "swap"
    BRIDGE = "bridge"


@dataclass(frozen=True, kw_only=True)
class RouteOffer:
    """One provider's answer to a request. ``error`` says why it cannot serve; then the figures are zero.

    ``input_base_units`` is the most the payer pays; ``min_output_base_units`` what the merchant gets at least.
    ``native_fee_base_units`` of the source chain's native coin leave the wallet on top, beside the network fee.
    """

    provider: str
    request: RouteRequest
    kind: LegKind
    input_base_units: BaseUnits
    min_output_base_units: BaseUnits
    expected_output_base_units: BaseUnits
    to_amount_usd: UsdAmount
    fee_usd: UsdAmount
    gas_usd: UsdAmount
    duration_sec: int
    price_impact_bps: int = 0
    native_fee_base_units: BaseUnits = BaseUnits(0)
    native_fee_usd: UsdAmount = ZERO_USD
    error: str | None = None
    raw: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    """What people call the provider, as whoever asked it writes in."""


@dataclass(frozen=True, kw_only=True)
class SigningOrder:
    """A leg whose transaction is to be made now.

    ``request`` asks for what the leg guaranteed; ``most_input_base_units`` is what the payer agreed to pay at most.
    ``tag`` is the leg's id: the mark by which its payment is recognised.
    """

    tag: str
    request: RouteRequest
    kind: LegKind
    tool: str
    most_input_base_units: BaseUnits


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What a wallet is asked to sign for a leg, checked against the order.

    ``unsigned`` is stored as it stands. EVM: ``request`` for eth_sendTransaction, and ``approvals`` to send before.
    Solana: ``transaction_base64`` with its ``reference``. ``bridge`` names the protocol whose order id links both
    chains; empty on one chain. ``raw`` is what the provider answered.
    ``platform_fee_base_units`` of what the payer gives go to the operator, within the input, worth
    ``platform_fee_usd`` at the price of now; a provider that takes it out of what comes tells dollars alone.
    """

    unsigned: dict[str, Any]
    input_base_units: BaseUnits
    min_output_base_units: BaseUnits
    bridge: str = ""
    platform_fee_base_units: BaseUnits = BaseUnits(0)
    platform_fee_usd: UsdAmount = ZERO_USD
    raw: dict[str, Any] = field(default_factory=dict)


class RouteWithdrawn(Exception):
    """The provider no longer offers what was agreed, or its firm answer failed a gate; ``code`` says which."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


class RouteProvider(ABC):
    """Who knows ways: the internal exact transfer, or an aggregator. Asked outside any transaction.

    ``name``: what candidates and legs call it, for ever. ``title``: what people call it; by its name where it has none.
    ``is_remote``: it is asked over the network, beside others in a thread of its own, and touches no database.
    """

    name: str
    title: str = ""
    is_remote: bool = False

    @property
    def bridges(self) -> bool:
        """Whether it leads from one chain to another now."""
        return False

    def reported(self, tx_hash: str, bridge: str, chains: tuple[str, str]) -> BridgeReport:
        """What it says of a payment from the first chain to the second; a hint only."""
        return BridgeReport.WAITING

    @abstractmethod
    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """Every way this provider knows, including those it must refuse (with ``error``). Raises: ChainUnavailable."""

    @abstractmethod
    def prepare(self, order: SigningOrder) -> Prepared:
        """The transaction of a leg, made and checked anew. Raises: RouteWithdrawn, ChainUnavailable."""


class Why(TypedDict):
    """Why a way is taken or not: a code, and what its sentence speaks of. Amounts are decimal strings."""

    code: str
    facts: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """An offer as the planner judged it. ``error`` is the provider's code, or that of the gate it failed.

    ``reason`` is the sentence of the API, ``why`` what the payer's sentence is made of.
    """

    offer: RouteOffer
    score: Decimal
    chosen: bool
    ai_pick: bool
    reason: str | None
    why: Why
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The planner's whole decision: the legs to sign, in order, and everything that was weighed.

    ``legs`` is empty when no way works; ``refusal`` then says why in one sentence.
    """

    legs: tuple[RouteOffer, ...]
    candidates: tuple[Candidate, ...]
    reason: str
    refusal: str | None = None


class RouteAdvisor(Protocol):
    """A second opinion on offers that have already passed every gate."""

    def preferred(self, offers: list[RouteOffer]) -> RouteOffer | None:
        """The offer it would take, or None when it has no opinion."""
