"""Why a token or a route is preferred, offered or refused: codes with facts, for any language to put into words. Pure.

A provider's own text never gets here: a payer reads only sentences that this service made of these codes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal
from enum import StrEnum
from fractions import Fraction

from chains.registry import chain
from core.money import BaseUnits, from_base_units, to_decimal_string
from payments.routing.base import Asset, LegKind, RouteOffer, Why
from payments.routing.gates import Gate, OfferError
from payments.routing.scoring import cost_usd

SHOWN_TOKEN_PLACES = 8
_CENTS = 100


class WhyCode(StrEnum):
    """Every code. Those before ``DEARER`` are said of what is recommended or chosen."""

    EXACT = "exact"
    ONLY_ONE = "only_one"
    CHEAPEST_AND_FASTEST = "cheapest_and_fastest"
    CHEAPEST = "cheapest"
    FASTEST = "fastest"
    BEST_BALANCE = "best_balance"
    TOGETHER = "together"
    DEARER = "dearer"
    DEARER_AND_SLOWER = "dearer_and_slower"
    DEARER_BUT_FASTER = "dearer_but_faster"
    SLOWER = "slower"
    CHEAPER_BUT_SLOWER = "cheaper_but_slower"
    MORE_RISK = "more_risk"
    NOT_ENOUGH = "not_enough"
    NO_GAS_COIN = "no_gas_coin"
    BELOW_MINIMUM = "below_minimum"
    ABOVE_MAXIMUM = "above_maximum"
    FEES_ABOVE_AMOUNT = "fees_above_amount"
    NOT_GUARANTEED = "not_guaranteed"
    PRICE_MOVES = "price_moves"
    NO_PRICE = "no_price"
    NO_ANSWER = "no_answer"
    NOT_TRUSTED = "not_trusted"
    UNFINISHED = "unfinished"
    NOTHING_TO_CONVERT = "nothing_to_convert"
    NO_ROUTE = "no_route"


_CODE_OF_FAULT: Mapping[str, WhyCode] = {
    OfferError.AMOUNT_TOO_LOW: WhyCode.BELOW_MINIMUM,
    OfferError.AMOUNT_TOO_HIGH: WhyCode.ABOVE_MAXIMUM,
    OfferError.INSUFFICIENT_LIQUIDITY: WhyCode.ABOVE_MAXIMUM,
    OfferError.FEES_ABOVE_AMOUNT: WhyCode.FEES_ABOVE_AMOUNT,
    OfferError.NO_ROUTE: WhyCode.NO_ROUTE,
    OfferError.SAME_TOKEN: WhyCode.NOTHING_TO_CONVERT,
    OfferError.RECIPIENT_NOT_SUPPORTED: WhyCode.NO_ROUTE,
    OfferError.NATIVE_OUTPUT_UNSUPPORTED: WhyCode.NO_ROUTE,
    OfferError.SLIPPAGE_TOO_HIGH: WhyCode.NOT_GUARANTEED,
    OfferError.TRANSACTION_NOT_BUILT: WhyCode.NO_ANSWER,
    OfferError.RATE_LIMITED: WhyCode.NO_ANSWER,
    OfferError.PROVIDER_MISCONFIGURED: WhyCode.NO_ANSWER,
    OfferError.PROVIDER_UNAVAILABLE: WhyCode.NO_ANSWER,
    OfferError.PRICE_UNAVAILABLE: WhyCode.NO_PRICE,
    Gate.OUTPUT_BELOW_TARGET: WhyCode.NOT_GUARANTEED,
    Gate.PRICE_IMPACT_TOO_HIGH: WhyCode.PRICE_MOVES,
    Gate.BALANCE_TOO_LOW: WhyCode.NOT_ENOUGH,
    Gate.GAS_TOO_LOW: WhyCode.NO_GAS_COIN,
}
"""Any other fault is one of the answer itself: it is not trusted."""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What a way costs in all, beyond what the merchant gets, and how long it takes."""

    cost: Fraction
    seconds: int


def why(code: WhyCode, **facts: str) -> Why:
    """A code with its facts."""
    return Why(code=code.value, facts=facts)


def figures_of(legs: Sequence[RouteOffer]) -> Figures:
    """The cost of all legs together, and the time of the slowest."""
    cost = sum((cost_usd(leg) for leg in legs), Fraction(0))
    return Figures(cost=cost, seconds=max((leg.duration_sec for leg in legs), default=0))


def is_exact(offer: RouteOffer) -> bool:
    """Whether exactly the amount is sent, with nothing converted and nobody paid."""
    return offer.kind is LegKind.TRANSFER and offer.fee_usd == 0


def why_best(legs: Sequence[RouteOffer], others: Sequence[Figures]) -> Why:
    """Why this is recommended or chosen, of all that would work."""
    own = figures_of(legs)
    if len(legs) > 1:
        return why(WhyCode.TOGETHER, count=str(len(legs)))
    if legs and is_exact(legs[0]):
        return why(WhyCode.EXACT)
    if not others:
        return why(WhyCode.ONLY_ONE)
    is_cheapest = all(own.cost <= other.cost for other in others)
    is_fastest = all(own.seconds <= other.seconds for other in others)
    if is_cheapest and is_fastest:
        return why(WhyCode.CHEAPEST_AND_FASTEST)
    if is_cheapest:
        return why(WhyCode.CHEAPEST)
    return why(WhyCode.FASTEST if is_fastest else WhyCode.BEST_BALANCE)


def why_second(own: Figures, best: Figures) -> Why:
    """Why something that works is not the best. Units: ``usd`` to the cent, against it; ``seconds``."""
    more, later = own.cost - best.cost, own.seconds - best.seconds
    if more > 0:
        return _why_dearer(dollars(more), later)
    if later <= 0:
        return why(WhyCode.MORE_RISK)
    saved = int(-more * _CENTS)
    if saved:
        return why(WhyCode.CHEAPER_BUT_SLOWER, usd=to_decimal_string(Decimal(saved).scaleb(-2)), seconds=str(later))
    return why(WhyCode.SLOWER, seconds=str(later))


def _why_dearer(more: str, later: int) -> Why:
    if later == 0:
        return why(WhyCode.DEARER, usd=more)
    code = WhyCode.DEARER_AND_SLOWER if later > 0 else WhyCode.DEARER_BUT_FASTER
    return why(code, usd=more, seconds=str(abs(later)))


def why_refused(error: str, offer: RouteOffer) -> Why:
    """Why an offer is not used, by the code of its fault."""
    code = _CODE_OF_FAULT.get(error, WhyCode.NOT_TRUSTED)
    if code is WhyCode.NOT_ENOUGH:
        return why_too_little(offer)
    if code is WhyCode.NO_GAS_COIN:
        known = chain(offer.request.source.chain)
        return why(code, coin="" if known is None else known.native_symbol, chain=offer.request.source.chain)
    return why(code)


def why_too_little(offer: RouteOffer) -> Why:
    """The balance does not suffice. Facts: what would be needed, where the offer says."""
    source = offer.request.source
    needed = shown_tokens(offer.input_base_units, source) if offer.input_base_units > 0 else ""
    return why(WhyCode.NOT_ENOUGH, needed=needed, symbol=source.symbol)


def why_none(faults: Sequence[str]) -> Why:
    """Why no route leads from a token, of the faults of all that were offered: what one can act on comes first."""
    codes = [_CODE_OF_FAULT.get(fault, WhyCode.NOT_TRUSTED) for fault in faults]
    telling = (WhyCode.BELOW_MINIMUM, WhyCode.ABOVE_MAXIMUM, WhyCode.NO_PRICE, WhyCode.NO_ANSWER)
    return why(next((code for code in telling if code in codes), WhyCode.NO_ROUTE))


_EVERY_DIGIT = Context(prec=120)
"""Why so many: a provider may claim any number, and 28 digits are what Python keeps by itself."""


def shown_tokens(units: BaseUnits, asset: Asset, rounding: str = ROUND_UP) -> str:
    """A quantity of a token, short enough to read."""
    places = Decimal(1).scaleb(-SHOWN_TOKEN_PLACES)
    exact = from_base_units(units, asset.decimals)
    return to_decimal_string(exact.quantize(places, rounding=rounding, context=_EVERY_DIGIT))


def dollars(exact: Fraction) -> str:
    """Dollars to the cent, upwards."""
    whole = exact * _CENTS
    return to_decimal_string(Decimal(-(-whole.numerator // whole.denominator)).scaleb(-2))
