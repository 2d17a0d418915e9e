"""The hard gates: what an offer must satisfy before anything else about it counts. Pure.

Source: docs/routing.md, Gates. What needs a chain or a provider's raw answer is checked where that is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from chains.registry import chain
from core.money import BaseUnits
from payments.routing.answer_faults import ANSWER_SENTENCES
from payments.routing.assets import AssetKey, key_of, units_worth, value_usd
from payments.routing.base import Asset, Holding, RouteOffer

MAX_PRICE_IMPACT_BPS = 300
"""Source: docs/routing.md, Gates."""
_LONGEST_ERROR = 200


class OfferError(StrEnum):
    """Why a provider could not serve. A provider may have further codes of its own."""

    AMOUNT_TOO_LOW = "AMOUNT_TOO_LOW"
    AMOUNT_TOO_HIGH = "AMOUNT_TOO_HIGH"
    FEES_ABOVE_AMOUNT = "FEES_ABOVE_AMOUNT"
    INSUFFICIENT_LIQUIDITY = "INSUFFICIENT_LIQUIDITY"
    NO_ROUTE = "NO_ROUTE"
    SAME_TOKEN = "SAME_TOKEN"  # noqa: S105 - an error code, not a secret
    SLIPPAGE_TOO_HIGH = "SLIPPAGE_TOO_HIGH"
    RECIPIENT_NOT_SUPPORTED = "RECIPIENT_NOT_SUPPORTED"
    NATIVE_OUTPUT_UNSUPPORTED = "NATIVE_OUTPUT_UNSUPPORTED"
    TRANSACTION_NOT_BUILT = "TRANSACTION_NOT_BUILT"
    RATE_LIMITED = "RATE_LIMITED"
    PROVIDER_MISCONFIGURED = "PROVIDER_MISCONFIGURED"
    PROVIDER_UNAVAILABLE = "PROVIDER_UNAVAILABLE"
    PRICE_UNAVAILABLE = "PRICE_UNAVAILABLE"


class Gate(StrEnum):
    """The gates, by the code of the refusal."""

    INVALID_FIGURES = "INVALID_FIGURES"
    OUTPUT_BELOW_TARGET = "OUTPUT_BELOW_TARGET"
    PRICE_IMPACT_TOO_HIGH = "PRICE_IMPACT_TOO_HIGH"
    BALANCE_TOO_LOW = "BALANCE_TOO_LOW"
    GAS_TOO_LOW = "GAS_TOO_LOW"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Why an offer is refused: a code for programs and a plain sentence for people."""

    code: str
    sentence: str


Balances = Mapping[AssetKey, Holding]

_SENTENCES: dict[str, str] = {
    OfferError.AMOUNT_TOO_LOW: "The amount is below this route's minimum.",
    OfferError.AMOUNT_TOO_HIGH: "The amount is above this route's maximum.",
    OfferError.FEES_ABOVE_AMOUNT: "The route's fees are higher than the amount.",
    OfferError.INSUFFICIENT_LIQUIDITY: "There is not enough liquidity on this route for the amount.",
    OfferError.NO_ROUTE: "The provider knows no route between these two tokens.",
    OfferError.SAME_TOKEN: "Both tokens are the same, so there is nothing to convert.",
    OfferError.SLIPPAGE_TOO_HIGH: "The route cannot guarantee the amount within the allowed slippage.",
    OfferError.RECIPIENT_NOT_SUPPORTED: "This route cannot pay anybody but the sender.",
    OfferError.NATIVE_OUTPUT_UNSUPPORTED: "Native coin that comes over a bridge cannot be recognised.",
    OfferError.TRANSACTION_NOT_BUILT: "The provider could not build a transaction; mostly the wallet holds too little.",
    OfferError.RATE_LIMITED: "The provider takes no more questions for the moment.",
    OfferError.PROVIDER_MISCONFIGURED: "The provider refuses this service's requests.",
    OfferError.PROVIDER_UNAVAILABLE: "The provider did not answer in time.",
    OfferError.PRICE_UNAVAILABLE: "There is no price for the coin that pays the network fee right now.",
    Gate.INVALID_FIGURES: "The provider's figures contradict each other.",
    Gate.OUTPUT_BELOW_TARGET: "It does not guarantee that the whole amount arrives.",
    Gate.PRICE_IMPACT_TOO_HIGH: "The trade would move the price by more than 3 %.",
    **ANSWER_SENTENCES,
}


def balances_of(holdings: Sequence[Holding]) -> Balances:
    """A wallet's balances by asset; an asset that is not among them counts as nothing."""
    return {key_of(holding.asset): holding for holding in holdings}


def fault_of(offer: RouteOffer, balances: Balances) -> Fault | None:
    """The first gate that an offer fails, or None when it passes them all."""
    if offer.error == OfferError.TRANSACTION_NOT_BUILT:
        source, destination = offer.request.source, offer.request.destination
        held = value_usd(source, _units(balances, key_of(source)))
        # Whether the wallet holds less than the merchant is to get: some providers then quote nothing at all.
        if source.usd_price > 0 and held < value_usd(destination, offer.request.target_base_units):
            return _too_little(offer)
    return route_fault(offer) or _purse_fault(offer, balances)


def route_fault(offer: RouteOffer) -> Fault | None:
    """The first fault of the route itself, whatever the wallet holds."""
    if offer.error is not None:
        code = offer.error[:_LONGEST_ERROR]
        return Fault(code=code, sentence=_SENTENCES.get(offer.error, f"The provider refused: {code}."))
    gate = _route_gate(offer)
    return None if gate is None else Fault(code=gate, sentence=_SENTENCES[gate])


def gas_base_units(offer: RouteOffer, native: Asset) -> BaseUnits:
    """How much of the chain's native coin the offer burns, rounded up. Raises: ValueError if the coin has no price."""
    return units_worth(native, Fraction(offer.gas_usd)) if offer.gas_usd > 0 else BaseUnits(0)


def native_key(asset: Asset) -> AssetKey | None:
    """The native coin that pays for transactions where this asset lives; None on a chain nobody knows."""
    known = chain(asset.chain)
    return None if known is None else (known.name, known.native_address)


def _route_gate(offer: RouteOffer) -> Gate | None:
    figures = (
        *(offer.fee_usd, offer.gas_usd, offer.to_amount_usd, offer.duration_sec, offer.price_impact_bps),
        *(offer.native_fee_base_units, offer.native_fee_usd),
    )
    contradictory = offer.expected_output_base_units < offer.min_output_base_units
    if offer.input_base_units <= 0 or contradictory or any(figure < 0 for figure in figures):
        return Gate.INVALID_FIGURES
    if offer.min_output_base_units < offer.request.target_base_units:
        return Gate.OUTPUT_BELOW_TARGET
    return Gate.PRICE_IMPACT_TOO_HIGH if offer.price_impact_bps > MAX_PRICE_IMPACT_BPS else None


def _purse_fault(offer: RouteOffer, balances: Balances) -> Fault | None:
    source, coin = key_of(offer.request.source), native_key(offer.request.source)
    held = _units(balances, source)
    if held < offer.input_base_units:
        return _too_little(offer)
    if coin is None or (offer.gas_usd <= 0 and offer.native_fee_base_units <= 0):
        return None
    left = held - offer.input_base_units if source == coin else _units(balances, coin)
    native = balances[coin].asset if coin in balances else None
    # A coin without a price covers nothing: how much of it is needed cannot be said.
    has_price = native is not None and native.usd_price > 0
    if native is None or not has_price or left < gas_base_units(offer, native) + offer.native_fee_base_units:
        sentence = f"The wallet holds too little of {coin[0]}'s native coin for the network fee."
        return Fault(code=Gate.GAS_TOO_LOW, sentence=sentence)
    return None


def _too_little(offer: RouteOffer) -> Fault:
    sentence = f"The wallet holds too little {offer.request.source.symbol} for it."
    return Fault(code=Gate.BALANCE_TOO_LOW, sentence=sentence)


def _units(balances: Balances, key: AssetKey) -> int:
    holding = balances.get(key)
    return 0 if holding is None else holding.base_units
