"""Test mode's providers: the same answer to the same question, exact figures, refusals with a code."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.registry import CHAINS, Family
from core.modes import Mode
from core.money import ZERO_USD, usd
from payments.routing.assets import settlement_asset, target_base_units, value_usd
from payments.routing.balances import look
from payments.routing.base import Asset, LegKind, RouteOffer, RouteRequest
from payments.routing.gates import route_fault
from payments.routing.offers import settling_seconds
from payments.routing.planning import plan_payment
from payments.routing.registry import ask_providers, providers_for
from payments.routing.simulated import DIRECT, SIMULATED_ATLAS, SIMULATED_MERIDIAN, DirectTransfer
from tests.payments.offers import ETH, FAR_USDC, PAYER, USDC, USDT, asset, goal, holding, request

SOURCES = (USDC, USDT, FAR_USDC, ETH, asset("USDC", chain="solana"), asset("DOGE", decimals=8, price="0.07"))


def test_the_payers_own_settlement_token_is_sent_exactly_and_nothing_else_directly() -> None:
    [direct] = DIRECT.offers(request(source=USDC))
    assert (direct.provider, direct.kind, direct.error) == ("direct", LegKind.TRANSFER, None)
    assert direct.input_base_units == direct.min_output_base_units == direct.expected_output_base_units == 25_000_000
    assert (direct.fee_usd, direct.gas_usd, direct.to_amount_usd) == (usd("0"), usd("0.01"), usd("25"))
    assert direct.duration_sec == 10
    assert DIRECT.offers(request(source=USDT)) == DIRECT.offers(request(source=FAR_USDC)) == []


def test_a_swap_is_offered_by_several_tools_of_two_providers() -> None:
    offers = {(offer.provider, offer.raw["tool"]): offer for offer in ask_providers(request(source=ETH))}
    assert set(offers) == {("atlas", "router"), ("atlas", "batch"), ("meridian", "pool"), ("meridian", "book")}
    router = offers["atlas", "router"]
    assert (router.kind, router.duration_sec, router.gas_usd) == (LegKind.SWAP, 22, Decimal("0.02"))
    assert (router.min_output_base_units, router.expected_output_base_units) == (25_000_000, 25_025_000)
    assert router.input_base_units == 10**16 * (1_000_000 + router.raw["fee_ppm"]) // 1_000_000
    assert router.fee_usd == Decimal(25 * router.raw["fee_ppm"]).scaleb(-6)
    assert 900 <= router.raw["fee_ppm"] <= 1_200


@pytest.mark.spec("RouteCandidate")
@pytest.mark.parametrize(
    ("source", "target", "tool", "error"),
    [
        *((USDC, 25_000_000, "swap", "SAME_TOKEN"), (ETH, 19_999_999, "batch", "AMOUNT_TOO_LOW")),
        *((ETH, 20_000_000, "batch", None), (ETH, 50_000_000_001, "book", "INSUFFICIENT_LIQUIDITY")),
        *((ETH, 50_000_000_000, "book", None), (SOURCES[4], 25_000_000, "express", "NO_ROUTE")),
        *((FAR_USDC, 4_999_999, "pooled", "AMOUNT_TOO_LOW"), (FAR_USDC, 5_000_000, "pooled", None)),
        (FAR_USDC, 200_000_000_001, "express", "INSUFFICIENT_LIQUIDITY"),
        (FAR_USDC, 200_000_000_000, "express", None),
    ],
)
def test_refusals_have_a_code_and_no_figures_and_begin_beyond_the_limit(
    source: Asset, target: int, tool: str, error: str | None
) -> None:
    [said] = [one for one in ask_providers(request(source=source, target=target)) if one.raw["tool"] == tool]
    assert said.error == error
    if error:
        assert (said.input_base_units, said.min_output_base_units, said.duration_sec) == (0, 0, 0)
        assert (said.fee_usd, said.gas_usd, said.to_amount_usd) == (ZERO_USD, ZERO_USD, ZERO_USD)


@pytest.mark.spec("Test mode")
def test_some_offers_promise_too_little_and_a_scripted_failure_makes_each_an_error() -> None:
    small, large = ask_providers(request(source=ETH)), ask_providers(request(source=FAR_USDC, target=400_000_000_000))
    assert {str(fault.code) for offer in small if (fault := route_fault(offer))} == {"OUTPUT_BELOW_TARGET"}
    assert "PRICE_IMPACT_TOO_HIGH" in {fault.code for offer in large if (fault := route_fault(offer))}
    for source in SOURCES:
        offers = ask_providers(request(source=source, scenario="fail_route"))
        assert ({offer.error for offer in offers}, len(offers) >= 3) == ({"NO_ROUTE"}, True), source
        assert {offer.provider for offer in offers} >= {"atlas", "meridian"}


@given(source=st.sampled_from(SOURCES), destination=st.sampled_from(SOURCES), target=st.integers(1, 10**24))
def test_figures_are_exact_and_the_same_for_the_same_question(source: Asset, destination: Asset, target: int) -> None:
    question = request(source=source, destination=destination, target=target)
    offers, worth = ask_providers(question), value_usd(destination, target)
    assert offers == ask_providers(replace(question))
    assert {offer.provider for offer in offers} >= {"atlas", "meridian"}
    for offer in offers:
        if offer.error is None:
            paid = value_usd(source, offer.input_base_units)
            price = worth * (1_000_000 + offer.raw.get("fee_ppm", 0)) / 1_000_000
            assert paid >= price
            assert offer.kind is LegKind.TRANSFER or value_usd(source, offer.input_base_units - 1) < price
            assert offer.expected_output_base_units >= offer.min_output_base_units
            assert offer.to_amount_usd <= value_usd(destination, offer.min_output_base_units)
            assert offer.fee_usd >= paid - worth
            assert offer.expected_output_base_units * 100 <= target * 101


def test_a_provider_that_breaks_is_one_refused_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(DirectTransfer):
        name = "broken"

        def offers(self, request: RouteRequest) -> list[RouteOffer]:
            raise TimeoutError

    table = {(Mode.TEST, Family.EVM): (Broken(), DIRECT)}
    monkeypatch.setattr("payments.routing.registry.PROVIDERS", table)
    offers = ask_providers(request(source=USDC))
    assert [(offer.provider, offer.error) for offer in offers] == [("broken", "PROVIDER_UNAVAILABLE"), ("direct", None)]


@pytest.mark.django_db
def test_live_mode_has_its_own_providers_who_serve_nothing_without_nodes_and_addresses() -> None:
    question = replace(request(), mode=Mode.LIVE)
    names = {known.family: [one.name for one in providers_for(Mode.LIVE, known.name)] for known in CHAINS}
    assert names == {Family.EVM: ["direct", "lifi"], Family.SOLANA: ["direct", "jupiter", "lifi"]}
    assert ask_providers(question) == []
    assert look(Mode.LIVE, Family.EVM, PAYER, goal()) == []
    refused = plan_payment(replace(goal(), mode=Mode.LIVE), [holding(USDC, "100")], ask_providers)
    assert (refused.legs, refused.refusal) == ((), "No route provider serves this payment.")


def test_every_chain_is_in_the_table_and_takes_the_standard_number_of_confirmations() -> None:
    names = ["direct", "atlas", "meridian"]
    chains = ["solana", "moonbeam", *(known.name for known in CHAINS)]
    assert all([provider.name for provider in providers_for(Mode.TEST, chain)] == names for chain in chains)
    assert (SIMULATED_ATLAS.name, SIMULATED_MERIDIAN.name) == ("atlas", "meridian")
    seconds = {"ethereum": 144, "base": 10, "arbitrum": 10, "optimism": 10, "polygon": 6, "bnb": 2, "solana": 13}
    assert {known.name: settling_seconds(known.name) for known in CHAINS} == seconds
    assert settling_seconds("moonbeam") == 10


SETTLED = {
    ("base", "usdc"): ("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", 6, "1"),
    ("bsc", "USDC"): ("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18, "1"),
    ("solana", "SOL"): ("11111111111111111111111111111111", 9, "150"),
    ("moonbeam", "GLMR"): ("GLMR", 6, "1"),
}
TARGETS = [
    (USDC, "25", 25_000_000),
    (asset("USDC", decimals=18), "0.01", 10**16),
    (asset("SOL", decimals=9, price="150"), "25", 166_666_667),
    (asset("WHOLE", decimals=0, price="3"), "10", 4),
    (asset("ETH", decimals=18, price="2500"), "1000000", 400 * 10**18),
]


@pytest.mark.spec("Test mode")
def test_what_settles_and_its_target_rounded_up(db: None) -> None:
    """In live mode it has a price of its own, or none."""
    for pair, (address, decimals, price) in SETTLED.items():
        settled = settlement_asset(Mode.TEST, *pair)
        assert settled is not None
        assert (settled.address, settled.decimals, settled.usd_price) == (address, decimals, Decimal(price))
    for settled, amount, units in TARGETS:
        assert target_base_units(settled, Decimal(amount)) == units
    known = settlement_asset(Mode.LIVE, "base", "USDC")
    assert known is not None
    assert known.usd_price == 0
    assert settlement_asset(Mode.LIVE, "base", "DOGE") is None
    with pytest.raises(ValueError, match="USDC on base has no price"):
        target_base_units(known, Decimal(25))
