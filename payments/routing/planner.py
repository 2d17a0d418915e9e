"""The decision: which offer to take, how to divide a payment that no single balance covers. Pure.

It asks nobody and stores nothing; ``payments.routing.planning`` brings it offers.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from core.money import BaseUnits
from payments.routing.assets import AssetKey, key_of, value_usd
from payments.routing.base import ASSUMED, Asset, Candidate, Holding, LegKind, Plan, Risks, RouteAdvisor, RouteOffer
from payments.routing.gates import Fault, balances_of, fault_of, gas_base_units, native_key
from payments.routing.reasons import figures_of, why_best, why_refused, why_second
from payments.routing.scoring import cost_usd, score

MAX_LEGS = 3
"""Source: docs/routing.md, Several transactions."""
SPLIT_MARGIN = Fraction(4, 100)
"""Share of a balance kept back for fees when a part of a payment is planned from it."""
NO_OFFERS = "No route provider serves this payment."
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Part:
    """A share of a payment: this much of the settlement asset, out of this balance."""

    holding: Holding
    target_base_units: BaseUnits


@dataclass(frozen=True, kw_only=True)
class _Judged:
    offer: RouteOffer
    score: Decimal
    fault: Fault | None


def choose(
    offers: Sequence[RouteOffer],
    holdings: Sequence[Holding],
    advisor: RouteAdvisor | None = None,
    risks: Risks = ASSUMED,
) -> Plan:
    """Take the best offer that passes every gate; say of every other one why not.

    ``holdings`` is all that the wallet holds, native coins for network fees included.
    """
    balances = balances_of(holdings)
    judged = [_Judged(offer=offer, score=score(offer, risks), fault=fault_of(offer, balances)) for offer in offers]
    eligible = sorted((entry for entry in judged if entry.fault is None), key=_best_first)
    refused = [entry for entry in judged if entry.fault is not None]
    if not eligible:
        return Plan(legs=(), candidates=_refused(refused), reason="", refusal=_refusal(refused))
    best, picked = eligible[0], _opinion(advisor, [entry.offer for entry in eligible])
    judged_well = tuple(_candidate(entry, eligible, picked) for entry in eligible)
    return Plan(
        legs=(best.offer,),
        candidates=judged_well + _refused(refused),
        reason=_why(best.offer, len(eligible)),
    )


def split(
    holdings: Sequence[Holding],
    destination: Asset,
    target: BaseUnits,
    most_parts: int = MAX_LEGS,
    first: Asset | None = None,
) -> list[Part]:
    """Divide a target over the most valuable balances, each as far as it goes; nothing if they do not suffice.

    ``first`` is used before all others. A balance keeps ``SPLIT_MARGIN`` back for fees, unless it already is
    the settlement asset.
    """
    useful = [holding for holding in holdings if _capacity(holding, destination) > 0]
    useful.sort(
        key=lambda holding: (
            first is None or key_of(holding.asset) != key_of(first),
            -value_usd(holding.asset, holding.base_units),
            key_of(holding.asset),
        )
    )
    parts: list[Part] = []
    remaining = int(target)
    for holding in useful[:most_parts]:
        share = min(_capacity(holding, destination), remaining)
        if share > 0:
            parts.append(Part(holding=holding, target_base_units=BaseUnits(share)))
        remaining -= share
    return parts if remaining == 0 else []


def spend(holdings: Sequence[Holding], offer: RouteOffer) -> list[Holding]:
    """What the wallet holds once this offer was taken: less its input and its network fee."""
    source, coin = key_of(offer.request.source), native_key(offer.request.source)
    return [_less(holding, offer, source, coin) for holding in holdings]


def _best_first(entry: _Judged) -> tuple[Decimal, Fraction, int, str, str]:
    """Score, then total cost (scores meet at zero), then time, then names: never chance."""
    offer = entry.offer
    return -entry.score, cost_usd(offer), offer.duration_sec, offer.provider, repr(offer.raw)


def _opinion(advisor: RouteAdvisor | None, eligible: list[RouteOffer]) -> RouteOffer | None:
    """The advisor's pick among the eligible. Why so broad a catch: an opinion must never stop a payment."""
    if advisor is None:
        return None
    try:
        wanted = advisor.preferred(list(eligible))
    except Exception:
        _LOGGER.exception("route advisor failed; the score decides alone")
        return None
    return next((offer for offer in eligible if offer is wanted), None)


def _candidate(entry: _Judged, eligible: Sequence[_Judged], picked: RouteOffer | None) -> Candidate:
    best, *others = eligible
    if entry is best:
        reason = f"Best score, {entry.score:.2f}: costs {_dollars(cost_usd(entry.offer))} USD in all."
        why = why_best([entry.offer], [figures_of([one.offer]) for one in others])
    else:
        reason = _why_second(entry, best)
        why = why_second(figures_of([entry.offer]), figures_of([best.offer]))
    return Candidate(
        offer=entry.offer,
        score=entry.score,
        chosen=entry is best,
        ai_pick=entry.offer is picked,
        reason=reason,
        why=why,
    )


def _refused(entries: list[_Judged]) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            offer=entry.offer,
            score=entry.score,
            chosen=False,
            ai_pick=False,
            reason=entry.fault.sentence,
            why=why_refused(entry.fault.code, entry.offer),
            error=entry.fault.code,
        )
        for entry in sorted(entries, key=_best_first)
        if entry.fault is not None
    )


def _refusal(refused: list[_Judged]) -> str:
    sentences = [entry.fault.sentence for entry in refused if entry.fault is not None]
    if not sentences:
        return NO_OFFERS
    commonest = max(dict.fromkeys(sentences), key=sentences.count)
    return f"None of {len(sentences)} ways works. {commonest}"


def _why(offer: RouteOffer, working: int) -> str:
    if offer.kind is LegKind.TRANSFER and offer.fee_usd == 0:
        return "Direct transfer of the exact amount: nothing is converted and no provider is paid."
    others = "the only way that works" if working == 1 else f"the best of {working} ways that work"
    cost = _dollars(cost_usd(offer))
    name = offer.title or offer.provider
    return f"{name} is {others}: {cost} USD in fees, about {offer.duration_sec} seconds."


def _why_second(entry: _Judged, best: _Judged) -> str:
    more = cost_usd(entry.offer) - cost_usd(best.offer)
    later = entry.offer.duration_sec - best.offer.duration_sec
    cost = f"{_dollars(abs(more))} USD {'more' if more >= 0 else 'less'}"
    time = f"{abs(later)} seconds {'later' if later >= 0 else 'sooner'}"
    return f"Works, but scores {entry.score:.2f} against {best.score:.2f}: {cost}, {time}."


def _dollars(exact: Fraction) -> str:
    """An amount for a sentence, to the cent."""
    cents = round(exact * 100)
    return "under 0.01" if exact > 0 and cents == 0 else f"{Decimal(cents).scaleb(-2):.2f}"


def _capacity(holding: Holding, destination: Asset) -> int:
    """How much of the settlement asset a balance can surely become, cut down."""
    if key_of(holding.asset) == key_of(destination):
        return holding.base_units
    price = value_usd(destination, 1)
    kept = value_usd(holding.asset, holding.base_units) * (1 - SPLIT_MARGIN)
    return int(kept / price) if price > 0 else 0


def _less(holding: Holding, offer: RouteOffer, source: AssetKey, coin: AssetKey | None) -> Holding:
    key, gone = key_of(holding.asset), 0
    if key == source:
        gone += offer.input_base_units
    if key == coin:
        gone += gas_base_units(offer, holding.asset) + offer.native_fee_base_units
    return replace(holding, base_units=BaseUnits(holding.base_units - gone)) if gone else holding
