"""The payer's list of tokens: what paying with each would cost, best first, as the page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from fractions import Fraction
from typing import TypedDict

from chains.registry import chain
from core.money import BaseUnits, from_base_units, to_decimal_string
from payments.routing.assets import key_of, value_usd
from payments.routing.base import Holding, LegKind, PaymentGoal, Plan, RouteOffer
from payments.routing.gates import Gate, balances_of, fault_of, route_fault
from payments.routing.planner import choose
from payments.routing.planning import AskProviders, plan_payment, request_for
from payments.routing.scoring import cost_usd, score

CENT = Decimal("0.01")
SHOWN_TOKEN_PLACES = 8


class TokenOption(TypedDict):
    """One line of the list; money as decimal strings, null where no route says what it would cost."""

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
    reason: str


@dataclass(frozen=True, kw_only=True)
class _Line:
    holding: Holding
    legs: tuple[RouteOffer, ...]
    sufficient: bool
    reason: str


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
    return [_shown(line, lines[0]) for line in lines]


def _line(goal: PaymentGoal, holding: Holding, holdings: Sequence[Holding], ask: AskProviders) -> _Line:
    """The best route from this token, or the cheapest one that only lacks the balance."""
    offers = ask(request_for(goal, holding.asset, goal.target_base_units))
    plan = choose(offers, holdings)
    if plan.legs:
        return _Line(holding=holding, legs=plan.legs, sufficient=True, reason="")
    working = [offer for offer in offers if route_fault(offer) is None]
    if not working:
        return _Line(holding=holding, legs=(), sufficient=False, reason="No route leads from this token right now.")
    cheapest = min(working, key=lambda offer: (cost_usd(offer), offer.duration_sec, offer.provider))
    reason = _missing(cheapest, holding, holdings)
    return _Line(holding=holding, legs=(cheapest,), sufficient=False, reason=reason)


def _missing(offer: RouteOffer, holding: Holding, holdings: Sequence[Holding]) -> str:
    fault = fault_of(offer, balances_of(holdings))
    if fault is not None and fault.code == Gate.GAS_TOO_LOW:
        return fault.sentence
    needed, symbol = _tokens_up(offer.input_base_units, holding), holding.asset.symbol
    return f"Not enough: {needed} {symbol} would be needed."


def _with_combination(lines: list[_Line], plan: Plan) -> list[_Line]:
    """Where only several balances together suffice, the first of them stands for all."""
    if not plan.legs:
        return lines
    first = key_of(plan.legs[0].request.source)
    return [
        replace(line, legs=plan.legs, sufficient=True, reason=plan.reason)
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


def _shown(line: _Line, best: _Line) -> TokenOption:
    asset = line.holding.asset
    known = chain(asset.chain)
    held = from_base_units(line.holding.base_units, asset.decimals)
    recommended = line is best and line.sufficient
    paid = sum((value_usd(leg.request.source, leg.input_base_units) for leg in line.legs), Fraction(0))
    return TokenOption(
        chain=asset.chain,
        chain_name=asset.chain if known is None else known.display_name,
        token_address=asset.address,
        symbol=asset.symbol,
        name=asset.name,
        balance=_tokens(held, ROUND_DOWN),
        balance_usd=_cents(value_usd(asset, line.holding.base_units), ROUND_DOWN),
        sufficient=line.sufficient,
        pay_amount=_tokens_up(line.legs[0].input_base_units, line.holding) if line.legs else None,
        pay_usd=_cents(paid, ROUND_UP) if line.legs else None,
        fee_usd=_cents(sum((Fraction(leg.fee_usd) for leg in line.legs), Fraction(0)), ROUND_UP) if line.legs else None,
        gas_usd=_cents(sum((Fraction(leg.gas_usd) for leg in line.legs), Fraction(0)), ROUND_UP) if line.legs else None,
        duration_sec=max((leg.duration_sec for leg in line.legs), default=None),
        recommended=recommended,
        reason=line.reason or _why(line, best),
    )


def _why(line: _Line, best: _Line) -> str:
    leg = line.legs[0]
    if leg.kind is LegKind.TRANSFER and leg.fee_usd == 0:
        return "The exact amount, sent directly: nothing is converted."
    more = cost_usd(leg) - sum((cost_usd(other) for other in best.legs), Fraction(0))
    if line is best or more <= 0:
        return f"Converted on the way in about {leg.duration_sec} seconds."
    return f"Costs {_cents(more, ROUND_UP)} USD more than the recommended token, about {leg.duration_sec} seconds."


def _tokens_up(units: BaseUnits, holding: Holding) -> str:
    return _tokens(from_base_units(units, holding.asset.decimals), ROUND_UP)


def _tokens(quantity: Decimal, rounding: str) -> str:
    """A quantity of a token, short enough to read."""
    places = Decimal(1).scaleb(-SHOWN_TOKEN_PLACES)
    return to_decimal_string(quantity.quantize(places, rounding=rounding))


def _cents(exact: Fraction, rounding: str) -> str:
    micros = exact * 1_000_000
    whole = micros.numerator // micros.denominator + int(rounding == ROUND_UP and micros.denominator != 1)
    return to_decimal_string(Decimal(whole).scaleb(-6).quantize(CENT, rounding=rounding))
