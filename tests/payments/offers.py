"""Assets, requests and offers for the tests of routing, with everything that does not matter filled in."""

from decimal import Decimal
from typing import Any

from core.modes import Mode
from core.money import BaseUnits, usd
from payments.routing.assets import dollars_down, value_usd
from payments.routing.base import Asset, Holding, LegKind, PaymentGoal, RouteOffer, RouteRequest

PAYER = "0x7e57000000000000000000000000000000000a11"
MERCHANT = "0x7e57000000000000000000000000000000000001"


def asset(symbol: str, chain: str = "base", decimals: int = 6, price: str = "1", address: str = "") -> Asset:
    """A token; its address is its symbol unless one is given."""
    return Asset(
        chain=chain, address=address or symbol, symbol=symbol, name=symbol, decimals=decimals, usd_price=Decimal(price)
    )


USDC = asset("USDC")
USDT = asset("USDT")
ETH = asset("ETH", decimals=18, price="2500", address="0x0000000000000000000000000000000000000000")
FAR_USDC = asset("USDC", chain="arbitrum")


def holding(token: Asset, whole: str) -> Holding:
    return Holding(asset=token, base_units=BaseUnits(int(Decimal(whole).scaleb(token.decimals))))


def goal(target: int = 25_000_000, destination: Asset = USDC, scenario: str = "") -> PaymentGoal:
    return PaymentGoal(**_wish(target, destination, scenario))


def request(
    source: Asset = USDT, destination: Asset = USDC, target: int = 25_000_000, scenario: str = ""
) -> RouteRequest:
    return RouteRequest(source=source, **_wish(target, destination, scenario))


def _wish(target: int, destination: Asset, scenario: str) -> dict[str, Any]:
    parties = {"payer_address": PAYER, "recipient": MERCHANT, "destination": destination}
    return {"mode": Mode.TEST, **parties, "target_base_units": BaseUnits(target), "scenario": scenario}


def offer(asked: RouteRequest | None = None, provider: str = "atlas", **figures: Any) -> RouteOffer:
    """An offer that passes every gate, as far as ``figures`` do not say otherwise: 25.05 for 25, no gas, 20 s."""
    asked = asked or request()
    figures = {
        "kind": LegKind.SWAP,
        "input_base_units": BaseUnits(asked.target_base_units + 50_000),
        "min_output_base_units": asked.target_base_units,
        "fee_usd": usd("0.05"),
        "gas_usd": usd("0"),
        "duration_sec": 20,
        **figures,
    }
    guaranteed = figures["min_output_base_units"]
    figures.setdefault("expected_output_base_units", guaranteed)
    figures.setdefault("to_amount_usd", dollars_down(value_usd(asked.destination, guaranteed)))
    return RouteOffer(provider=provider, request=asked, **figures)
