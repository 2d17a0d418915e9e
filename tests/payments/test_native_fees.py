"""Native coin that a provider takes on top of the input: covered by the purse, counted as cost, spent once."""

from decimal import Decimal
from typing import Any

import pytest

from core.money import BaseUnits, usd
from payments.routing.base import RouteOffer
from payments.routing.gates import Gate, OfferError
from payments.routing.offers import refused
from payments.routing.planner import choose, spend
from payments.routing.scoring import cost_usd
from tests.payments.offers import ETH, USDC, USDT, holding, offer, request

COIN = 10**18


def with_fee(units: int, dollars: str = "0", **figures: Any) -> RouteOffer:
    """An offer with so much native coin on top."""
    return offer(native_fee_base_units=BaseUnits(units), native_fee_usd=usd(dollars), **figures)


@pytest.mark.parametrize(
    ("fee", "gas", "error"),
    [
        pytest.param(COIN, "0", None, id="fee alone, to the last unit"),
        pytest.param(COIN + 1, "0", Gate.GAS_TOO_LOW, id="fee alone, a unit too much"),
        pytest.param(COIN // 2, "1250", None, id="fee and network fee, to the last unit"),
        pytest.param(COIN // 2 + 1, "1250", Gate.GAS_TOO_LOW, id="fee and network fee, a unit too much"),
    ],
)
def test_the_purse_covers_it(fee: int, gas: str, error: str | None) -> None:
    plan = choose([with_fee(fee, gas_usd=usd(gas))], [holding(USDT, "100"), holding(ETH, "1")])
    assert [candidate.error for candidate in plan.candidates] == [error]


def test_input_and_fee_come_out_of_one_native_balance() -> None:
    wallet = [holding(ETH, "1")]
    asked = request(source=ETH)
    half = BaseUnits(COIN // 2)
    fits = offer(asked, input_base_units=half, native_fee_base_units=half)
    exceeds = offer(asked, input_base_units=half, native_fee_base_units=BaseUnits(half + 1))
    assert choose([fits], wallet).legs == (fits,)
    assert choose([exceeds], wallet).candidates[0].error == Gate.GAS_TOO_LOW


def test_it_counts_as_cost() -> None:
    assert cost_usd(with_fee(4 * 10**14, "1")) - cost_usd(offer()) == Decimal(1)


def test_it_is_spent() -> None:
    [token, coin] = spend([holding(USDT, "100"), holding(ETH, "1")], with_fee(COIN // 4))
    assert (token.base_units, coin.base_units) == (74_950_000, COIN * 3 // 4)


def test_a_negative_one_contradicts() -> None:
    wallet = [holding(USDT, "100"), holding(ETH, "1")]
    for figures in (with_fee(-1), with_fee(0, "-1")):
        assert choose([figures], wallet).candidates[0].error == Gate.INVALID_FIGURES


@pytest.mark.parametrize(
    ("held", "error"),
    [("24.999999", Gate.BALANCE_TOO_LOW), ("25", OfferError.TRANSACTION_NOT_BUILT)],
    ids=["holds too little", "holds enough"],
)
def test_a_provider_that_quotes_nothing_to_a_short_wallet(held: str, error: str) -> None:
    """So that a payment by several tokens is tried."""
    plan = choose([refused("lifi", request(USDT, USDC), OfferError.TRANSACTION_NOT_BUILT)], [holding(USDT, held)])
    assert [candidate.error for candidate in plan.candidates] == [error]
