"""Providers of test mode: the exact direct transfer, and two made-up aggregators with several tools each.

Every figure follows from the request by exact arithmetic and a hash, so that the same question always gets the
same answer. Amounts the payer pays are rounded up, what the merchant gets is cut.
"""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from uuid import UUID

from chains.registry import Family, chain
from core.money import ZERO_USD, BaseUnits
from payments.routing.assets import dollars_down, dollars_up, key_of, units_worth, value_usd
from payments.routing.base import LegKind, Prepared, RouteOffer, RouteProvider, RouteRequest, SigningOrder
from payments.routing.gates import OfferError
from payments.routing.offers import exact_transfer, refused, settling_seconds
from payments.routing.simulated_tools import ATLAS, MERIDIAN, PPM, Tool, gas_usd

FAIL_ROUTE = "fail_route"
"""The scenario in which no provider knows a way. Source: docs/routing.md, Test mode."""
SPONSORED_GAS_FACTOR = Fraction(3, 2)
UNKNOWN_CHAIN_ID = 2_147_480_000
"""For chains that only test mode knows: a number no real network uses."""
_HUNDRED_THOUSAND = 100_000


class DirectTransfer(RouteProvider):
    """The internal exact transfer: the payer already holds the settlement asset."""

    name, title = "direct", "A direct transfer"

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """One exact offer, or none where something would have to be converted."""
        if key_of(request.source) != key_of(request.destination):
            return []
        if request.scenario == FAIL_ROUTE:
            return [refused(self.name, request, OfferError.NO_ROUTE, "transfer")]
        return [exact_transfer(self.name, request, gas_usd(request.source.chain, LegKind.TRANSFER))]

    def prepare(self, order: SigningOrder) -> Prepared:
        """A make-believe transaction at the agreed price."""
        return simulated_transaction(self.name, order)


@dataclass(frozen=True, kw_only=True)
class SimulatedAggregator(RouteProvider):
    """A made-up aggregator with a price list. ``same_asset`` answers where there is nothing to convert."""

    name: str
    tools: tuple[Tool, ...]
    same_asset: Callable[[str, RouteRequest], RouteOffer]

    def offers(self, request: RouteRequest) -> list[RouteOffer]:
        """An answer of every tool that fits, refusals included."""
        if key_of(request.source) == key_of(request.destination):
            answers = [self.same_asset(self.name, request)]
        else:
            kind = LegKind.SWAP if request.source.chain == request.destination.chain else LegKind.BRIDGE
            answers = [_quoted(self.name, tool, request) for tool in self.tools if tool.kind is kind]
        if request.scenario != FAIL_ROUTE:
            return answers
        return [refused(self.name, request, OfferError.NO_ROUTE, str(answer.raw["tool"])) for answer in answers]

    def prepare(self, order: SigningOrder) -> Prepared:
        """A make-believe transaction at the agreed price."""
        return simulated_transaction(self.name, order)


def _sponsored(provider: str, request: RouteRequest) -> RouteOffer:
    """A transfer whose network fee the provider pays, for half as much again, taken from the token."""
    target, source = request.target_base_units, request.source
    price = Fraction(gas_usd(source.chain, LegKind.TRANSFER)) * SPONSORED_GAS_FACTOR
    fee = units_worth(source, price)
    return RouteOffer(
        provider=provider,
        request=request,
        kind=LegKind.TRANSFER,
        input_base_units=BaseUnits(target + fee),
        min_output_base_units=target,
        expected_output_base_units=target,
        to_amount_usd=dollars_down(value_usd(request.destination, target)),
        fee_usd=dollars_up(value_usd(source, fee)),
        gas_usd=ZERO_USD,
        duration_sec=settling_seconds(source.chain),
        raw={"tool": "sponsored"},
    )


def _quoted(provider: str, tool: Tool, request: RouteRequest) -> RouteOffer:
    target, source, destination = request.target_base_units, request.source, request.destination
    worth = value_usd(destination, target)
    error = _refusal(tool, request, worth)
    if error is not None:
        return refused(provider, request, error, tool.name)
    fee_ppm = tool.fee_ppm + _spread(provider, tool, request)
    paid = units_worth(source, worth * (PPM + fee_ppm) / PPM)
    guaranteed = BaseUnits(target * tool.delivered_ppm // PPM)
    return RouteOffer(
        provider=provider,
        request=request,
        kind=tool.kind,
        input_base_units=paid,
        min_output_base_units=guaranteed,
        expected_output_base_units=BaseUnits(guaranteed * (PPM + tool.surplus_ppm) // PPM),
        to_amount_usd=dollars_down(value_usd(destination, guaranteed)),
        fee_usd=dollars_up(max(value_usd(source, paid) - worth, Fraction(0))),
        gas_usd=gas_usd(source.chain, tool.kind),
        duration_sec=tool.seconds + settling_seconds(source.chain),
        price_impact_bps=int(worth * tool.impact_bps_per_100k / _HUNDRED_THOUSAND),
        raw={"tool": tool.name, "fee_ppm": fee_ppm},
    )


def _refusal(tool: Tool, request: RouteRequest, worth: Fraction) -> OfferError | None:
    ends = (chain(request.source.chain), chain(request.destination.chain))
    if not tool.serves_solana and any(known is not None and known.family is Family.SOLANA for known in ends):
        return OfferError.NO_ROUTE
    if worth < tool.least_usd:
        return OfferError.AMOUNT_TOO_LOW
    return OfferError.INSUFFICIENT_LIQUIDITY if tool.most_usd is not None and worth > tool.most_usd else None


def _spread(provider: str, tool: Tool, request: RouteRequest) -> int:
    """A fee that differs from pair to pair and amount to amount, but never between two equal requests."""
    pair = (*key_of(request.source), *key_of(request.destination))
    seed = "|".join((provider, tool.name, *pair, str(request.target_base_units)))
    digest = hashlib.sha256(seed.encode()).digest()
    return int.from_bytes(digest[:4]) % (tool.spread_ppm + 1)


def simulated_transaction(provider: str, order: SigningOrder) -> Prepared:
    """What a simulated wallet is asked to sign, at exactly the agreed price.

    Why the leg's id is inside: it is the tag by which the payment is recognised on chain.
    """
    return Prepared(
        unsigned=_unsigned(provider, order),
        input_base_units=order.most_input_base_units,
        min_output_base_units=order.request.target_base_units,
    )


def _unsigned(provider: str, order: SigningOrder) -> dict[str, Any]:
    request, source = order.request, order.request.source.chain
    known = chain(source)
    if known is not None and known.family is Family.SOLANA:
        message = f"causeway-test:{order.tag}:{order.most_input_base_units}:{request.recipient}"
        encoded = base64.b64encode(message.encode()).decode()
        return {"family": "solana", "chain": source, "transaction_base64": encoded}
    router = "0x" + hashlib.sha256(f"simulated router {provider}".encode()).hexdigest()[:40]
    return {
        "family": "evm",
        "chain": source,
        "chain_id": known.chain_id if known is not None else UNKNOWN_CHAIN_ID,
        "request": {
            "from": request.payer_address,
            "to": router,
            "value": "0x0",
            "data": f"0x7e57{UUID(order.tag).hex}{int(order.most_input_base_units):064x}",
        },
    }


DIRECT = DirectTransfer()
SIMULATED_ATLAS = SimulatedAggregator(name="atlas", tools=ATLAS, same_asset=_sponsored)
SIMULATED_MERIDIAN = SimulatedAggregator(
    name="meridian",
    tools=MERIDIAN,
    same_asset=lambda provider, request: refused(provider, request, OfferError.SAME_TOKEN, "swap"),
)
