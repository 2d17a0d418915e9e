"""Why a token or a route is best, worse or refused: the codes, and that every one has a payer's sentence."""

from typing import Any

import pytest
from django.utils.translation import override

from checkout.words.reasons import REASONS, reason_words
from core.money import BaseUnits, usd
from payments.routing.answer_faults import AnswerFault
from payments.routing.base import LegKind, RouteOffer
from payments.routing.gates import Gate, OfferError
from payments.routing.planner import choose
from payments.routing.reasons import WhyCode, shown_tokens, why_none, why_refused
from payments.services.quote import MOST_ROUTES, shown_routes
from tests.payments.offers import USDC, USDT, holding, offer, request

PURSE = [holding(USDT, "100"), holding(USDC, "100")]


def costing(micros: int, seconds: int, provider: str = "atlas", **more: Any) -> RouteOffer:
    """An offer that costs so many millionths of a dollar and takes so long."""
    return offer(provider=provider, input_base_units=BaseUnits(25_000_000 + micros), duration_sec=seconds, **more)


def reasons(*offers: RouteOffer) -> list[tuple[str, dict[str, str]]]:
    """The code and facts of each candidate, the chosen first."""
    return [(one.why["code"], one.why["facts"]) for one in choose(offers, PURSE).candidates]


@pytest.mark.parametrize(
    ("other", "first", "second"),
    [
        (costing(90_000, 40, "b"), "cheapest_and_fastest", ("dearer_and_slower", {"usd": "0.04", "seconds": "20"})),
        (costing(90_000, 20, "b"), "cheapest_and_fastest", ("dearer", {"usd": "0.04"})),
        (costing(90_001, 12, "b"), "cheapest", ("dearer_but_faster", {"usd": "0.05", "seconds": "8"})),
        (costing(29_999, 300, "b"), "fastest", ("cheaper_but_slower", {"usd": "0.02", "seconds": "280"})),
        (costing(49_999, 300, "b"), "fastest", ("slower", {"seconds": "280"})),
        (costing(30_000, 20, "b", expected_output_base_units=BaseUnits(25_000_001)), "fastest", ("more_risk", {})),
        (costing(0, 9, "b", error="NO_ROUTE"), "only_one", ("no_route", {})),
    ],
)
def test_what_is_chosen_and_what_is_not(other: RouteOffer, first: str, second: tuple[str, dict[str, str]]) -> None:
    assert reasons(costing(50_000, 20), other) == [(first, {}), second]


def test_a_way_that_is_neither_the_cheapest_nor_the_fastest_and_the_exact_one() -> None:
    codes = [code for code, _ in reasons(costing(50_000, 20), costing(90_000, 12, "b"), costing(40_000, 300, "c"))]
    assert codes == ["best_balance", "dearer_but_faster", "cheaper_but_slower"]
    exact = offer(request(USDC, USDC), kind=LegKind.TRANSFER, fee_usd=usd("0"), input_base_units=BaseUnits(25_000_000))
    assert reasons(exact, costing(90_000, 20)) == [("exact", {}), ("dearer", {"usd": "0.09"})]


def test_every_fault_of_a_route_has_a_code() -> None:
    faults = (*OfferError, *Gate, *AnswerFault, "BRAND_NEW")
    told = {fault: why_refused(fault, costing(0, 1))["code"] for fault in faults}
    not_trusted = {fault for fault, code in told.items() if code == "not_trusted"}
    assert not_trusted == {"BRAND_NEW", Gate.INVALID_FIGURES, *AnswerFault}
    assert why_refused(Gate.BALANCE_TOO_LOW, costing(7, 1))["facts"] == {"needed": "25.000007", "symbol": "USDT"}
    assert why_refused(Gate.GAS_TOO_LOW, costing(0, 1))["facts"] == {"coin": "ETH", "chain": "base"}
    none = [([], "no_route"), (["NO_ROUTE", "PROVIDER_UNAVAILABLE"], "no_answer"), (["WRONG_TOKEN"], "no_route")]
    for several, code in [*none, (["PROVIDER_UNAVAILABLE", "AMOUNT_TOO_LOW"], "below_minimum")]:
        assert why_none(several)["code"] == code


def test_every_code_has_one_sentence_for_payers() -> None:
    assert set(REASONS) == {code.value for code in WhyCode}
    facts = {"usd": "0.04", "seconds": "61", "needed": "7", "symbol": "X", "coin": "ETH", "chain": "Base", "count": "3"}
    with override("en"):
        told = {code: reason_words(code, facts) for code in REASONS}
        assert told["dearer_and_slower"] == "Costs $0.04 more than the best choice and takes 61 seconds longer."
        assert told["not_enough"] == "Not enough: 7 X would be needed."
        assert reason_words("not_enough", {"symbol": "X"}) == "Not enough X."
        assert reason_words("slower", {"seconds": "90"}) == "Takes 2 minutes longer than the best choice."
        assert reason_words("of an older release", {}) == ""
    assert len({sentence for sentence in told.values() if "%" not in sentence}) == len(told)


def test_nothing_of_a_providers_own_text_is_shown_and_any_number_can_be() -> None:
    loud = "<b>Call 555 to get your money</b>"
    raw = {"tool": loud, "message": loud}
    offers = [costing(n, 20, raw=raw) for n in range(20)] + [costing(0, 1, error=loud, raw=raw)]
    shown = shown_routes(choose(offers, PURSE).candidates)
    assert [route["chosen"] for route in shown] == [True] + [False] * (MOST_ROUTES - 1)
    assert "555" not in str(shown)
    [refused] = shown_routes(choose(offers[-1:], PURSE).candidates)
    figures = (refused["cost_usd"], refused["duration_sec"], refused["why"])
    assert figures == (None, None, {"code": "not_trusted", "facts": {}})
    most = 2**256 - 1
    assert shown_tokens(BaseUnits(most), USDC) == f"{most // 10**6}.{most % 10**6}"
