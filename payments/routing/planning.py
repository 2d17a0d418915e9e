"""From a goal and a wallet to a plan: asks the providers, lets the planner decide, and combines several legs.

Called outside any database transaction, since providers are asked over the network.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from core.money import BaseUnits
from payments.routing.assets import AssetKey, key_of, value_usd
from payments.routing.base import (
    ASSUMED,
    Asset,
    Candidate,
    Holding,
    PaymentGoal,
    Plan,
    Risks,
    RouteAdvisor,
    RouteOffer,
    RouteRequest,
)
from payments.routing.gates import Gate
from payments.routing.planner import MAX_LEGS, choose, spend, split
from payments.routing.reasons import WhyCode, why

AskProviders = Callable[[RouteRequest], list[RouteOffer]]

MAX_SOURCES = 4
"""How many of a wallet's assets are quoted when the payer has not chosen one."""
MAX_TRIES = 6
"""How many balances are quoted in search of a plan of several legs."""
NO_PRICE = "There is no price for the settlement token right now."
NOTHING_HELD = "This wallet holds nothing to pay with."
NOT_ENOUGH = "All balances of this wallet together do not cover the amount."
_UNFINISHED = "It would serve for a part, but the rest of the amount cannot be covered."


def plan_payment(
    goal: PaymentGoal,
    holdings: Sequence[Holding],
    ask: AskProviders,
    advisor: RouteAdvisor | None = None,
    source: Asset | None = None,
    risks: Risks = ASSUMED,
) -> Plan:
    """Plan one transaction if any balance suffices, else up to three.

    ``source`` is the asset the payer chose; without it the likeliest of the wallet are weighed. A plan of
    several legs starts with the chosen asset and goes on with the most valuable ones.
    """
    if goal.destination.usd_price <= 0:
        return _refusal(NO_PRICE)
    sources = _sources(goal, holdings, source)
    if not sources:
        return _refusal(NOTHING_HELD)
    offers = [offer for asset in sources for offer in ask(request_for(goal, asset, goal.target_base_units))]
    single = choose(offers, holdings, advisor, risks)
    too_little = any(candidate.error == Gate.BALANCE_TOO_LOW for candidate in single.candidates)
    if single.legs or not too_little:
        return single
    combined = _combine(goal, holdings, ask, partial(choose, advisor=advisor, risks=risks), source)
    return replace(combined, candidates=single.candidates + combined.candidates)


def request_for(goal: PaymentGoal, source: Asset, target: BaseUnits) -> RouteRequest:
    """The question to a provider: so much of the goal, paid with this asset."""
    return RouteRequest(
        mode=goal.mode,
        payer_address=goal.payer_address,
        source=source,
        destination=goal.destination,
        recipient=goal.recipient,
        target_base_units=target,
        scenario=goal.scenario,
    )


def _sources(goal: PaymentGoal, holdings: Sequence[Holding], chosen: Asset | None) -> list[Asset]:
    """What to ask for: the chosen asset; else those that could pay alone, nearest to the goal first."""
    if chosen is not None:
        return [chosen]
    needed = value_usd(goal.destination, goal.target_base_units)
    worth = {key_of(held.asset): value_usd(held.asset, held.base_units) for held in holdings if held.base_units > 0}

    def rank(asset: Asset) -> tuple[bool, bool, bool, Fraction, AssetKey]:
        key, home = key_of(asset), key_of(goal.destination)
        return worth[key] < needed, key != home, asset.chain != goal.destination.chain, -worth[key], key

    return sorted((held.asset for held in holdings if key_of(held.asset) in worth), key=rank)[:MAX_SOURCES]


def _combine(
    goal: PaymentGoal,
    holdings: Sequence[Holding],
    ask: AskProviders,
    choose_best: Callable[[Sequence[RouteOffer], Sequence[Holding]], Plan],
    first: Asset | None,
) -> Plan:
    """Up to three legs, one balance after the other, each asked for what is left after the ones before."""
    purse, remaining = list(holdings), goal.target_base_units
    legs: list[RouteOffer] = []
    weighed: list[Candidate] = []
    tried: set[AssetKey] = set()
    while remaining > 0:
        untried = [holding for holding in purse if key_of(holding.asset) not in tried]
        parts = split(untried, goal.destination, remaining, MAX_LEGS - len(legs), first)
        if not parts or len(tried) == MAX_TRIES:
            return _unfinished(weighed)
        source, share = parts[0].holding.asset, parts[0].target_base_units
        tried.add(key_of(source))
        step = choose_best(ask(request_for(goal, source, share)), purse)
        weighed += step.candidates
        for leg in step.legs:
            legs.append(leg)
            purse = spend(purse, leg)
            remaining = BaseUnits(remaining - leg.min_output_base_units)
    shares = ", ".join(f"{leg.request.source.symbol} on {leg.request.source.chain}" for leg in legs)
    reason = f"No single balance suffices, so {len(legs)} transactions share the amount: {shares}."
    return Plan(legs=tuple(legs), candidates=tuple(weighed), reason=reason)


def _unfinished(weighed: Sequence[Candidate]) -> Plan:
    """No plan: what was chosen for a part is chosen no more."""
    candidates = [
        replace(candidate, chosen=False, ai_pick=False, reason=_UNFINISHED, why=why(WhyCode.UNFINISHED))
        if candidate.error is None
        else candidate
        for candidate in weighed
    ]
    return Plan(legs=(), candidates=tuple(candidates), reason="", refusal=NOT_ENOUGH)


def _refusal(sentence: str) -> Plan:
    return Plan(legs=(), candidates=(), reason="", refusal=sentence)
