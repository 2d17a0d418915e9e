"""The planner: gates, choice, reasons, dividing a payment, plans of several legs."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.money import BaseUnits, usd
from payments.routing.assets import key_of, value_usd
from payments.routing.base import Asset, Holding, LegKind, Plan, RouteOffer, RouteRequest
from payments.routing.gates import Gate, OfferError, balances_of, fault_of, gas_base_units
from payments.routing.offers import refused
from payments.routing.planner import MAX_LEGS, choose, spend, split
from payments.routing.planning import NO_PRICE, NOT_ENOUGH, NOTHING_HELD, plan_payment
from payments.routing.simulated import DIRECT, SIMULATED_ATLAS, SIMULATED_MERIDIAN
from tests.payments.offers import ETH, FAR_USDC, USDC, USDT, asset, goal, holding, offer, request

WALLET = [holding(USDC, "100"), holding(USDT, "100"), holding(ETH, "1")]
COIN = 10**18
HALF = COIN // 2
CONTRADICTORY = "The provider's figures contradict each other."
TOO_LITTLE = "It does not guarantee that the whole amount arrives."
TOO_LARGE = "The trade would move the price by more than 3 %."
TOO_DRY = "There is not enough liquidity on this route for the amount."
TOO_POOR = "The wallet holds too little USDT for it."
NO_COIN = "The wallet holds too little of base's native coin for the network fee."


def ask(question: RouteRequest) -> list[RouteOffer]:
    return [
        answer for provider in (DIRECT, SIMULATED_ATLAS, SIMULATED_MERIDIAN) for answer in provider.offers(question)
    ]


class Advisor:
    def __init__(self, wish: Callable[[list[RouteOffer]], RouteOffer | None]) -> None:
        self.wish = wish

    def preferred(self, offers: list[RouteOffer]) -> RouteOffer | None:
        return self.wish(offers)


def favourite(provider: str) -> Advisor:
    return Advisor(lambda offers: next((known for known in offers if known.provider == provider), None))


def broken(offers: list[RouteOffer]) -> RouteOffer | None:
    raise RuntimeError("no opinion")


LIMITS: list[tuple[str, str, str, Any, Any]] = [
    (Gate.OUTPUT_BELOW_TARGET, TOO_LITTLE, "min_output_base_units", 25_000_000, 24_999_999),
    (Gate.PRICE_IMPACT_TOO_HIGH, TOO_LARGE, "price_impact_bps", 300, 301),
    (Gate.BALANCE_TOO_LOW, TOO_POOR, "input_base_units", 100_000_000, 100_000_001),
    (Gate.GAS_TOO_LOW, NO_COIN, "gas_usd", usd("2500"), usd("2500.01")),
    (Gate.GAS_TOO_LOW, NO_COIN, "native_fee_base_units", COIN, COIN + 1),
    *((Gate.INVALID_FIGURES, CONTRADICTORY, "input_base_units", 25_000_000, number) for number in (0, -1)),
    (Gate.INVALID_FIGURES, CONTRADICTORY, "expected_output_base_units", 25_000_000, 24_999_999),
    *((Gate.INVALID_FIGURES, CONTRADICTORY, f"{of}_usd", usd("0"), usd("-0.01")) for of in ("fee", "native_fee")),
    (Gate.INVALID_FIGURES, CONTRADICTORY, "native_fee_base_units", 0, -1),
    ("INSUFFICIENT_LIQUIDITY", TOO_DRY, "error", None, "INSUFFICIENT_LIQUIDITY"),
    ("Strange answer 17", "The provider refused: Strange answer 17.", "error", None, "Strange answer 17"),
]
"""Of each figure what passes, and what is one beyond it; a provider's own error."""


@pytest.mark.spec("RouteCandidate")
def test_every_gate_lets_its_limit_pass_and_refuses_with_a_reason() -> None:
    for code, reason, figure, at_limit, beyond in LIMITS:
        accepted = offer(**{figure: at_limit})
        assert choose([accepted], WALLET).legs == (accepted,), figure
        plan = choose([offer(**{figure: beyond})], WALLET)
        assert (plan.legs, plan.refusal) == ((), f"None of 1 ways works. {reason}")
        [one] = plan.candidates
        assert (one.chosen, one.ai_pick, one.error, one.reason) == (False, False, code, reason)


def test_native_input_and_fees_come_out_of_one_balance() -> None:
    fees: list[dict[str, Any]] = [{"gas_usd": usd("1250")}, {"native_fee_base_units": BaseUnits(HALF)}]
    for fee in fees:
        half, more = (offer(request(ETH), input_base_units=BaseUnits(paid), **fee) for paid in (HALF, HALF + 1))
        assert choose([half], WALLET).legs == (half,)
        assert choose([more], WALLET).candidates[0].error == Gate.GAS_TOO_LOW
    for on_top, is_fine in ((HALF, True), (HALF + 1, False)):
        both = offer(native_fee_base_units=BaseUnits(on_top), gas_usd=usd("1250"))
        assert bool(choose([both], WALLET).legs) is is_fine
    unpriced = [holding(USDT, "100"), holding(asset("ETH", decimals=18, price="0", address=ETH.address), "5")]
    without_a_price = choose([offer(gas_usd=usd("0.01"))], unpriced)
    assert without_a_price.candidates[0].error == Gate.GAS_TOO_LOW


def test_a_provider_that_quotes_nothing_to_a_short_wallet() -> None:
    """So that a payment by several tokens is tried."""
    for held, error in (("24.999999", Gate.BALANCE_TOO_LOW), ("25", OfferError.TRANSACTION_NOT_BUILT)):
        plan = choose([refused("lifi", request(USDT, USDC), OfferError.TRANSACTION_NOT_BUILT)], [holding(USDT, held)])
        assert [candidate.error for candidate in plan.candidates] == [error]


@pytest.mark.spec("RouteCandidate")
def test_the_best_score_is_chosen_and_the_others_say_what_they_lack() -> None:
    cheap = offer(provider="cheap", input_base_units=BaseUnits(25_010_000))
    dear = offer(provider="dear", input_base_units=BaseUnits(25_110_000), duration_sec=5)
    plan = choose([dear, cheap], WALLET)
    assert plan.legs == (cheap,)
    assert plan.reason == "cheap is the best of 2 ways that work: 0.01 USD in fees, about 20 seconds."
    assert [(entry.offer.provider, entry.chosen) for entry in plan.candidates] == [("cheap", True), ("dear", False)]
    assert plan.candidates[0].reason == "Best score, 90.96: costs 0.01 USD in all."
    assert plan.candidates[1].reason == "Works, but scores 88.86 against 90.96: 0.10 USD more, 15 seconds sooner."


def test_ties_are_decided_alike_whatever_the_order() -> None:
    """By price where all scores are zero, by name otherwise; of two equal offers one is chosen."""
    cheap = offer(provider="zebra", input_base_units=BaseUnits(60_000_000))
    dear = offer(provider="ant", input_base_units=BaseUnits(90_000_000))
    assert choose([dear, cheap], WALLET).legs == (cheap,)
    twins = [offer(provider=name, raw={"tool": tool}) for name in ("b", "a") for tool in ("y", "x")]
    [first] = choose(twins, WALLET).legs
    assert choose(twins[::-1], WALLET).legs == (first,)
    assert (first.provider, first.raw) == ("a", {"tool": "x"})
    plan = choose([offer(), offer()], WALLET, favourite("atlas"))
    assert [(entry.chosen, entry.ai_pick) for entry in plan.candidates] == [(True, True), (False, False)]
    refusal = "No route provider serves this payment."
    assert choose([], WALLET) == Plan(legs=(), candidates=(), reason="", refusal=refusal)


@pytest.mark.spec("RouteCandidate")
def test_the_advisor_marks_one_and_changes_nothing_else() -> None:
    slow, bad = offer(provider="slow", duration_sec=200), offer(provider="bad", price_impact_bps=900)
    offers = [offer(provider="quick"), slow, bad]
    equal_but_none_of_these = Advisor(lambda offers: offer(offers[0].request))
    picks = [(favourite("slow"), "slow"), (favourite("bad"), ""), (equal_but_none_of_these, ""), (Advisor(broken), "")]
    for advisor, picked in picks:
        plan = choose(offers, WALLET, advisor)
        assert plan.legs == (offers[0],)
        marks = [(entry.offer.provider, entry.ai_pick) for entry in plan.candidates]
        assert marks == [(name, name == picked) for name in ("quick", "slow", "bad")]


def test_a_split_takes_the_most_valuable_first_and_the_exact_remainder_last() -> None:
    """But the payer's choice before that; and the settlement asset to its last unit."""
    wallet = [holding(USDT, "10"), holding(FAR_USDC, "20"), holding(ETH, "0.002")]
    parts = [(part.holding.asset, part.target_base_units) for part in split(wallet, USDC, BaseUnits(30_000_001))]
    assert parts == [(FAR_USDC, 19_200_000), (USDT, 9_600_000), (ETH, 1_200_001)]
    whole = split([holding(USDC, "10"), holding(USDT, "9")], USDC, BaseUnits(12_000_000))
    assert [part.target_base_units for part in whole] == [10_000_000, 2_000_000]
    chosen = split([holding(FAR_USDC, "20"), holding(USDT, "10")], USDC, BaseUnits(20_000_000), first=USDT)
    assert [part.holding.asset for part in chosen] == [USDT, FAR_USDC]
    assert split([holding(USDT, "10")], USDC, BaseUnits(9_600_001)) == []
    assert split([holding(USDT, "10")], USDC, BaseUnits(1), 0) == []


@pytest.mark.spec("RouteCandidate")
def test_a_plan_of_three_legs_when_no_single_balance_suffices() -> None:
    wallet = [
        *(holding(USDC, "10"), holding(USDT, "9"), holding(FAR_USDC, "9"), holding(ETH, "0.0001")),
        holding(asset("ETH", "arbitrum", 18, "2500", ETH.address), "0.0001"),
    ]
    plan = plan_payment(goal(25_000_000), wallet, ask)
    assert [leg.request.source for leg in plan.legs] == [USDC, FAR_USDC, USDT]
    assert [leg.kind for leg in plan.legs] == [LegKind.TRANSFER, LegKind.BRIDGE, LegKind.SWAP]
    assert [leg.request.target_base_units for leg in plan.legs] == [10_000_000, 8_640_000, 6_360_000]
    assert plan.reason == (
        "No single balance suffices, so 3 transactions share the amount: USDC on base, USDC on arbitrum, USDT on base."
    )
    whole = [entry for entry in plan.candidates if entry.offer.request.target_base_units == 25_000_000]
    assert [entry.offer for entry in plan.candidates if entry.chosen] == list(plan.legs)
    assert Gate.BALANCE_TOO_LOW in {entry.error for entry in whole}


def test_a_leg_that_guarantees_more_leaves_less_for_the_next() -> None:
    def generous(question: RouteRequest) -> list[RouteOffer]:
        return [offer(question, min_output_base_units=BaseUnits(question.target_base_units + 7))]

    plan = plan_payment(goal(25_000_000), [holding(USDT, "20"), holding(USDC, "10")], generous)
    assert [leg.request.target_base_units for leg in plan.legs] == [19_200_000, 5_799_993]


def test_the_payers_own_choice_comes_first_and_what_cannot_be_finished_chooses_nothing() -> None:
    wallet = [holding(USDC, "20"), holding(USDT, "9"), holding(ETH, "0.0001")]
    plan = plan_payment(goal(25_000_000), wallet, ask, source=USDT)
    assert [leg.request.source for leg in plan.legs] == [USDT, USDC]
    wallet = [holding(USDT, "20"), holding(FAR_USDC, "9"), holding(ETH, "0.0001")]
    plan = plan_payment(goal(25_000_000), wallet, ask)
    assert (plan.legs, plan.refusal) == ((), NOT_ENOUGH)
    assert not any(entry.chosen or entry.ai_pick for entry in plan.candidates)
    unfinished = "It would serve for a part, but the rest of the amount cannot be covered."
    assert unfinished in {entry.reason for entry in plan.candidates}


@pytest.mark.spec("Test mode")
def test_a_scripted_lack_of_routes_is_not_retried_in_parts() -> None:
    asked: list[RouteRequest] = []

    def listen(question: RouteRequest) -> list[RouteOffer]:
        asked.append(question)
        return ask(question)

    plan = plan_payment(goal(scenario="fail_route"), [holding(USDC, "9"), holding(USDT, "20")], listen)
    assert plan.legs == ()
    assert plan.refusal == "None of 7 ways works. The provider knows no route between these two tokens."
    assert {entry.error for entry in plan.candidates} == {"NO_ROUTE"}
    assert [question.target_base_units for question in asked] == [25_000_000, 25_000_000]


def test_no_price_and_no_balance_are_refused_before_anybody_is_asked() -> None:
    def never(question: RouteRequest) -> list[RouteOffer]:
        raise AssertionError(question)

    assert plan_payment(goal(destination=asset("ODD", price="0")), WALLET, never).refusal == NO_PRICE
    assert plan_payment(goal(), [], never).refusal == NOTHING_HELD
    assert plan_payment(goal(), [holding(USDT, "0")], never).refusal == NOTHING_HELD


ASSETS = (
    *(USDC, USDT, FAR_USDC, ETH),
    asset("ETH", "arbitrum", 18, "2500", ETH.address),
    asset("ODD", decimals=0, price="3"),
    asset("DAI", decimals=18, price="0.99"),
)


@st.composite
def any_offer(draw: st.DrawFn) -> RouteOffer:
    asked = request(source=draw(st.sampled_from(ASSETS)))
    guaranteed = asked.target_base_units + draw(st.integers(-1, 1))
    return offer(
        asked,
        provider=draw(st.sampled_from("abc")),
        kind=draw(st.sampled_from(LegKind)),
        input_base_units=BaseUnits(draw(st.integers(min_value=0, max_value=10**30))),
        min_output_base_units=BaseUnits(guaranteed),
        expected_output_base_units=BaseUnits(guaranteed + draw(st.integers(-1, 1))),
        gas_usd=usd(str(draw(st.integers(0, 500)))),
        duration_sec=draw(st.integers(0, 900)),
        price_impact_bps=draw(st.integers(0, 600)),
        error=draw(st.sampled_from([None, None, None, "NO_ROUTE"])),
    )


def wallets(most: int) -> st.SearchStrategy[list[Holding]]:
    """Wallets that hold up to so many dollars of each asset."""
    cents = st.lists(st.integers(0, most * 100), min_size=len(ASSETS), max_size=len(ASSETS))

    def hold(values: list[int]) -> list[Holding]:
        units = [int(Fraction(value, 100) / value_usd(token, 1)) for value, token in zip(values, ASSETS, strict=True)]
        return [Holding(asset=token, base_units=BaseUnits(many)) for token, many in zip(ASSETS, units, strict=True)]

    return cents.map(hold)


@given(st.lists(any_offer(), max_size=12), wallets(100), st.sampled_from(["a", "b", "nobody"]))
def test_what_is_chosen_has_passed_every_gate(offers: list[RouteOffer], wallet: list[Holding], wanted: str) -> None:
    plan = choose(offers, wallet, favourite(wanted))
    eligible = [entry for entry in plan.candidates if entry.error is None]
    assert len(plan.candidates) == len(offers)
    assert all(fault_of(entry.offer, balances_of(wallet)) is None for entry in eligible)
    assert all(fault_of(entry.offer, balances_of(wallet)) for entry in plan.candidates if entry.error)
    assert sum(entry.chosen for entry in plan.candidates) == len(plan.legs) == min(len(eligible), 1)
    assert sum(entry.ai_pick for entry in plan.candidates) == any(entry.offer.provider == wanted for entry in eligible)
    assert all(entry.reason and len(entry.reason) <= 300 for entry in plan.candidates)
    assert all(Decimal(0) <= entry.score <= 100 for entry in plan.candidates)
    assert all(entry.error is None for entry in plan.candidates if entry.chosen or entry.ai_pick)
    assert [entry.score for entry in eligible] == sorted((entry.score for entry in eligible), reverse=True)


@given(wallets(60), st.integers(1, 150_000_000), st.sampled_from([None, *ASSETS]))
def test_any_plan_delivers_the_target_and_spends_no_more_than_the_wallet_has(
    wallet: list[Holding], target: int, source: Asset | None
) -> None:
    plan = plan_payment(goal(target), wallet, ask, favourite("meridian"), source)
    spent = dict.fromkeys((key_of(held.asset) for held in wallet), 0)
    natives = {held.asset.chain: held.asset for held in wallet if held.asset.address == ETH.address}
    for leg in plan.legs:
        native = natives[leg.request.source.chain]
        spent[key_of(leg.request.source)] += leg.input_base_units
        spent[key_of(native)] += gas_base_units(leg, native)
    before_the_last = sum(leg.min_output_base_units for leg in plan.legs[:-1])
    assert len(plan.legs) <= MAX_LEGS
    assert [entry.offer for entry in plan.candidates if entry.chosen] == list(plan.legs)
    assert all(spent[key_of(held.asset)] <= held.base_units for held in wallet)
    assert len({key_of(leg.request.source) for leg in plan.legs}) == len(plan.legs)
    assert bool(plan.legs) == (plan.refusal is None)
    if plan.legs:
        assert before_the_last + plan.legs[-1].min_output_base_units >= target
        assert plan.legs[-1].request.target_base_units == target - before_the_last


@given(wallets(60), st.integers(1, 150_000_000), st.integers(0, 4))
def test_a_split_adds_up_to_the_target_and_asks_no_balance_for_more_than_it_is_worth(
    wallet: list[Holding], target: int, most: int
) -> None:
    parts = split(wallet, USDC, BaseUnits(target), most)
    assert len(parts) <= most
    assert sum(part.target_base_units for part in parts) in {0, target}
    for part in parts:
        held = value_usd(part.holding.asset, part.holding.base_units)
        assert 0 < value_usd(USDC, part.target_base_units) <= held


@given(wallets(100))
def test_spending_takes_input_and_fees_and_nothing_else(wallet: list[Holding]) -> None:
    figures: dict[str, Any] = {"gas_usd": usd("2.5"), "input_base_units": BaseUnits(7)}
    for on_top in (0, 10**14):
        left = spend(wallet, offer(native_fee_base_units=BaseUnits(on_top), **figures))
        gone = {key_of(old.asset): old.base_units - new.base_units for old, new in zip(wallet, left, strict=True)}
        assert {key: units for key, units in gone.items() if units} == {key_of(USDT): 7, key_of(ETH): 10**15 + on_top}
