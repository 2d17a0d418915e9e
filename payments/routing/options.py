"""The payer's list of tokens: what paying with each would cost, best first, as the page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from fractions import Fraction
from typing import TypedDict

from chains.registry import chain
from core.money import to_decimal_string
from payments.routing.assets import key_of, value_usd
from payments.routing.base import Holding, PaymentGoal, Plan, RouteOffer, Why
from payments.routing.gates import Gate, balances_of, fault_of, route_fault
from payments.routing.planner import choose
from payments.routing.planning import AskProviders, plan_payment, request_for
from payments.routing.reasons import (
    Figures,
    WhyCode,
    figures_of,
    is_exact,
    shown_tokens,
    why,
    why_best,
    why_none,
    why_refused,
    why_second,
    why_too_little,
)
from payments.routing.scoring import cost_usd, score

CENT = Decimal("0.01")


class TokenOption(TypedDict):
    """One line of the list; money as decimal strings, null where no route says what it would cost.

    ``why`` says why it is recommended, what is worse about it, or why it cannot pay; the payer's door finds the words.
    """

    chain: str
    chain_name: str
    token_address: str
    symbol: str
    name: str
    balance: str
    balance_usd: str
    sufficient: bool
    pay_amount: str | None
    pay_usd: str | None
    fee_usd: str | None
    gas_usd: str | None
    duration_sec: int | None
    recommended: bool
    why: Why


@dataclass(frozen=True, kw_only=True)
class _Line:
    holding: Holding
    legs: tuple[RouteOffer, ...]
    sufficient: bool
    why: Why | None = None


def token_options(goal: PaymentGoal, holdings: Sequence[Holding], ask: AskProviders) -> list[TokenOption]:
    """Every token of the wallet with its figures, the recommended one first, those that cannot pay last.

    The figures are indicative: they ignore the scenario, so that a scripted failure shows only at the quote.
    Called outside any database transaction.
    """
    if goal.destination.usd_price <= 0:
        return []
    goal = replace(goal, scenario="")
    lines = [_line(goal, holding, holdings, ask) for holding in holdings if holding.base_units > 0]
    if not any(line.sufficient for line in lines):
        lines = _with_combination(lines, plan_payment(goal, holdings, ask))
    lines.sort(key=_best_first)
    able = [figures_of(line.legs) for line in lines[1:] if line.sufficient]
    return [_shown(line, lines[0], able) for line in lines]


def _line(goal: PaymentGoal, holding: Holding, holdings: Sequence[Holding], ask: AskProviders) -> _Line:
    """The best route from this token, or the cheapest one that only lacks the balance."""
    offers = ask(request_for(goal, holding.asset, goal.target_base_units))
    plan = choose(offers, holdings)
    if plan.legs:
        return _Line(holding=holding, legs=plan.legs, sufficient=True)
    faults = [fault.code for offer in offers if (fault := route_fault(offer)) is not None]
    working = [offer for offer in offers if route_fault(offer) is None]
    if not working:
        return _Line(holding=holding, legs=(), sufficient=False, why=why_none(faults))
    cheapest = min(working, key=lambda offer: (cost_usd(offer), offer.duration_sec, offer.provider))
    missing = fault_of(cheapest, balances_of(holdings))
    lacks_gas = missing is not None and missing.code == Gate.GAS_TOO_LOW
    reason = why_refused(Gate.GAS_TOO_LOW, cheapest) if lacks_gas else why_too_little(cheapest)
    return _Line(holding=holding, legs=(cheapest,), sufficient=False, why=reason)


def _with_combination(lines: list[_Line], plan: Plan) -> list[_Line]:
    """Where only several balances together suffice, the first of them stands for all."""
    if not plan.legs:
        return lines
    first = key_of(plan.legs[0].request.source)
    return [
        replace(line, legs=plan.legs, sufficient=True, why=why(WhyCode.TOGETHER, count=str(len(plan.legs))))
        if key_of(line.holding.asset) == first
        else line
        for line in lines
    ]


def _best_first(line: _Line) -> tuple[bool, Decimal, Fraction, Fraction, tuple[str, str]]:
    points = min((score(leg) for leg in line.legs), default=Decimal(0))
    cost = sum((cost_usd(leg) for leg in line.legs), Fraction(0))
    worth = value_usd(line.holding.asset, line.holding.base_units)
    insufficient = not line.sufficient
    return (
        insufficient,
        Decimal(0) if insufficient else -points,
        cost if line.sufficient else -worth,
        -worth,
        key_of(line.holding.asset),
    )


def _shown(line: _Line, best: _Line, others: Sequence[Figures]) -> TokenOption:
    asset = line.holding.asset
    known = chain(asset.chain)
    recommended = line is best and line.sufficient
    paid = sum((value_usd(leg.request.source, leg.input_base_units) for leg in line.legs), Fraction(0))
    return TokenOption(
        chain=asset.chain,
        chain_name=asset.chain if known is None else known.display_name,
        token_address=asset.address,
        symbol=asset.symbol,
        name=asset.name,
        balance=shown_tokens(line.holding.base_units, asset, ROUND_DOWN),
        balance_usd=_cents(value_usd(asset, line.holding.base_units), ROUND_DOWN),
        sufficient=line.sufficient,
        pay_amount=shown_tokens(line.legs[0].input_base_units, asset) if line.legs else None,
        pay_usd=_cents(paid, ROUND_UP) if line.legs else None,
        fee_usd=_cents(sum((Fraction(leg.fee_usd) for leg in line.legs), Fraction(0)), ROUND_UP) if line.legs else None,
        gas_usd=_cents(sum((Fraction(leg.gas_usd) for leg in line.legs), Fraction(0)), ROUND_UP) if line.legs else None,
        duration_sec=max((leg.duration_sec for leg in line.legs), default=None),
        recommended=recommended,
        why=line.why or _why(line, best, others),
    )


def _why(line: _Line, best: _Line, others: Sequence[Figures]) -> Why:
    if is_exact(line.legs[0]):
        return why(WhyCode.EXACT)
    if line is best:
        return why_best(line.legs, others)
    return why_second(figures_of(line.legs), figures_of(best.legs))


def _cents(exact: Fraction, rounding: str) -> str:
    micros = exact * 1_000_000
    whole = micros.numerator // micros.denominator + int(rounding == ROUND_UP and micros.denominator != 1)
    return to_decimal_string(Decimal(whole).scaleb(-6).quantize(CENT, rounding=rounding))
