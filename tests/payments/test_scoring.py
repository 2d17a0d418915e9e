"""The score: its range, and what every weight takes away."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.money import BaseUnits, usd
from payments.routing.base import LegKind, RouteOffer
from payments.routing.scoring import BEST, WORST, cost_ratio, cost_usd, score, worth_usd
from tests.payments.offers import ETH, FAR_USDC, USDC, asset, offer, request

SOL_USDT = asset("USDT", chain="solana")
FREE: dict[str, Any] = {"input_base_units": BaseUnits(25_000_000), "duration_sec": 0, "kind": LegKind.TRANSFER}


def test_the_best_and_the_worst() -> None:
    """A free instant transfer loses only its assumed risk; paying less than arrives is no bonus."""
    assert score(offer(**FREE)) == score(offer(**{**FREE, "input_base_units": BaseUnits(1)})) == Decimal("99.96")
    assert cost_ratio(offer(input_base_units=BaseUnits(1))) == 0
    assert score(offer(request(destination=asset("ODD", price="0")))) == WORST
    native = offer(request(source=ETH), input_base_units=BaseUnits(10**16), duration_sec=0, kind=LegKind.SWAP)
    assert score(native) == Decimal("99.6")  # it needs no approval


@pytest.mark.parametrize(
    ("worse", "expected"),
    [
        (offer(**{**FREE, "input_base_units": BaseUnits(25_250_000)}), "93.96"),
        (offer(**FREE, gas_usd=usd("0.25")), "93.96"),
        (offer(**{**FREE, "duration_sec": 60}), "98.76"),
        (offer(**FREE, expected_output_base_units=BaseUnits(25_000_001)), "89.96"),
        (offer(**{**FREE, "kind": LegKind.SWAP}), "91.6"),
        (offer(request(source=SOL_USDT), **{**FREE, "kind": LegKind.SWAP}), "99.6"),
        (offer(request(source=FAR_USDC), **{**FREE, "kind": LegKind.BRIDGE}), "90.8"),
        (offer(request(source=SOL_USDT), **{**FREE, "kind": LegKind.BRIDGE}), "83.8"),
        (offer(request(source=USDC), **{**FREE, "input_base_units": BaseUnits(60_000_000)}), "0"),
        (offer(**FREE, error="NO_ROUTE"), "0"),
    ],
)
def test_what_each_weight_takes_away(worse: RouteOffer, expected: str) -> None:
    assert score(worse) == Decimal(expected)


def test_cost_is_all_that_leaves_the_wallet_less_what_arrives() -> None:
    dear = offer(input_base_units=BaseUnits(25_050_000), gas_usd=usd("0.02"))
    assert cost_usd(dear) == Decimal("0.07")
    assert (cost_ratio(dear), worth_usd(dear)) == (Decimal("0.0028"), Decimal(25))
    on_top = offer(native_fee_base_units=BaseUnits(4 * 10**14), native_fee_usd=usd("1"))
    assert cost_usd(on_top) - cost_usd(offer()) == Decimal(1)


@given(
    units=st.integers(0, 10**40),
    more_units=st.integers(0, 10**20),
    seconds=st.integers(0, 10**6),
    more_seconds=st.integers(0, 10**6),
    kind=st.sampled_from(LegKind),
)
def test_more_cost_or_time_never_raises_the_score(
    units: int, more_units: int, seconds: int, more_seconds: int, kind: LegKind
) -> None:
    less = score(offer(kind=kind, input_base_units=BaseUnits(units), duration_sec=seconds))
    more = score(offer(kind=kind, input_base_units=BaseUnits(units + more_units), duration_sec=seconds + more_seconds))
    assert WORST <= more <= less <= BEST
    assert less == less.quantize(Decimal("0.000001"))


def test_a_swap_after_a_bridge_is_the_worse_bridge() -> None:
    bridged = offer(request(source=FAR_USDC), kind=LegKind.BRIDGE)
    swapped_after = offer(request(source=asset("USDT", chain="arbitrum")), kind=LegKind.BRIDGE)
    assert score(bridged) - score(swapped_after) == 15
