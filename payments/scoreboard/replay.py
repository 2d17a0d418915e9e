"""Learning failure shares from what came of routes, and measuring on kept payments what they would have changed.

What is learned from the first part of the history is judged by the part after it, so that nothing is judged by what it
was learned from. Nothing is used before it was measured and adopted. Source: docs/adr/0117.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from django.db import transaction

from core.clock import now
from core.modes import Mode
from core.money import UsdAmount
from payments.models import Leg, RouteCandidate, RouteRisks
from payments.routing.advisor import FAILURE_SHARE, FAILURE_USD, SECOND_USD
from payments.routing.base import LegKind, Risks, RouteKey
from payments.routing.record import PAYING_KINDS
from payments.routing.risks import current_risks, forget_risks
from payments.routing.scoring import FAILURE_RISK, FAILURE_WEIGHT
from payments.states import LegStatus

DAYS = 30
LEARN_DAYS = 20
"""The first so many of them are learned from, the others judge."""
MOST = 50_000
"""Legs, and routes that were weighed, of a replay; the newest."""
PRIOR_PAYMENTS = Decimal(50)
"""As many payments as the assumed share weighs. Why so many: a route must fail often before it loses its place."""
LEAST_JUDGED = 100
"""Payments with a choice. Below, a replay says nothing."""
_PLACES = Decimal("0.0001")
_SENT = (LegStatus.CONFIRMED, LegStatus.FAILED, LegStatus.REFUNDED)


class RiskRefused(Exception):
    """A set that must not be adopted; the sentence says why."""


@dataclass(frozen=True, kw_only=True)
class Replay:
    """What a replay measured. Units: dollars for one payment, as decimal strings; ``changed`` counts other picks."""

    judged: int
    changed: int
    loss_now_usd: str
    loss_then_usd: str

    @property
    def is_better(self) -> bool:
        """Whether enough was judged, something changed, and payers would have lost less."""
        enough = self.judged >= LEAST_JUDGED and self.changed > 0
        return enough and Decimal(self.loss_then_usd) < Decimal(self.loss_now_usd)


class _Weighed(NamedTuple):
    """A route that would have worked for an attempt, as it was scored with what counted then."""

    route: RouteKey
    kind: str
    score: Decimal
    cost_usd: UsdAmount
    amount_usd: UsdAmount
    seconds: int


def learn(mode: Mode) -> RouteRisks:
    """A new set with its replay, not adopted."""
    begins = now() - timedelta(days=DAYS)
    turns = begins + timedelta(days=LEARN_DAYS)
    learned = _shares(_outcomes(mode, begins, turns))
    found = replay(mode, learned, current_risks(mode), since=turns)
    stored = [
        {"provider": provider, "chain": chain, "to_chain": to_chain, "share": str(share)}
        for (provider, chain, to_chain), share in sorted(learned.items())
    ]
    return RouteRisks.objects.create(mode=mode, shares=stored, replay=asdict(found))


@transaction.atomic
def adopt(risks: RouteRisks) -> None:
    """Let the score count with these from now on. Raises: RiskRefused where the replay did not find them better."""
    found = Replay(**risks.replay)
    if not found.is_better:
        raise RiskRefused(
            f"Of {found.judged} payments with a choice {found.changed} would have gone another way, and one would have"
            f" lost {found.loss_then_usd} USD instead of {found.loss_now_usd}: that is no better."
        )
    end(Mode(risks.mode))
    RouteRisks.objects.filter(pk=risks.pk).update(adopted_at=now())
    forget_risks()


def end(mode: Mode) -> int:
    """Let the score count with what is assumed by kind again; how many sets that ended."""
    ended = RouteRisks.objects.filter(mode=mode, adopted_at__isnull=False, ended_at=None).update(ended_at=now())
    forget_risks()
    return ended


def replay(mode: Mode, learned: Risks, counted: Risks, *, since: datetime) -> Replay:
    """Pick again, for each attempt since then that had a choice, with both sets; what a payment loses on average.

    A loss is what the pick cost, its time, and how often payments on that route really failed in the same days. Routes
    that nobody took then are judged by the share assumed for their kind.
    """
    failed = _failed_shares(_outcomes(mode, since, now()))
    judged = changed = 0
    loss_now = loss_then = Decimal(0)
    for offers in _choices(mode, since):
        today = _best(offers, counted, counted)
        then = _best(offers, counted, learned)
        judged += 1
        changed += today is not then
        loss_now += _loss(today, failed)
        loss_then += _loss(then, failed)
    return Replay(
        judged=judged,
        changed=changed,
        loss_now_usd=str(_mean(loss_now, judged)),
        loss_then_usd=str(_mean(loss_then, judged)),
    )


def _outcomes(mode: Mode, begins: datetime, ends: datetime) -> dict[tuple[RouteKey, str], tuple[int, int]]:
    """How many arrived and how many did not, by route and kind."""
    rows = Leg.objects.filter(
        mode=mode, kind__in=PAYING_KINDS, status__in=_SENT, submitted_at__gte=begins, submitted_at__lt=ends
    )
    names = ("provider", "chain", "to_chain", "kind", "status")
    counts: dict[tuple[RouteKey, str], list[int]] = defaultdict(lambda: [0, 0])
    for provider, chain, to_chain, kind, status in rows.order_by("-submitted_at", "-pk").values_list(*names)[:MOST]:
        counts[(provider, chain, to_chain), kind][status != LegStatus.CONFIRMED] += 1
    return {key: (arrived, failed) for key, (arrived, failed) in counts.items()}


def _shares(outcomes: Mapping[tuple[RouteKey, str], tuple[int, int]]) -> Risks:
    """The Bayesian average of what was assumed for the kind and what came of a route."""
    learned: dict[RouteKey, Decimal] = {}
    for (route, kind), (arrived, failed) in outcomes.items():
        share = (PRIOR_PAYMENTS * _assumed(kind) + failed) / (PRIOR_PAYMENTS + arrived + failed)
        learned[route] = max(learned.get(route, Decimal(0)), share.quantize(_PLACES, rounding=ROUND_HALF_EVEN))
    return learned


def _failed_shares(outcomes: Mapping[tuple[RouteKey, str], tuple[int, int]]) -> dict[RouteKey, Decimal]:
    found: dict[RouteKey, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for (route, _), (arrived, failed) in outcomes.items():
        before = found[route]
        found[route] = (before[0] + arrived, before[1] + failed)
    return {route: Decimal(failed) / (arrived + failed) for route, (arrived, failed) in found.items()}


def _choices(mode: Mode, since: datetime) -> Iterable[Sequence[_Weighed]]:
    """What each attempt could choose from. Why by attempt: a route is weighed anew with each quote."""
    rows = RouteCandidate.objects.filter(mode=mode, error=None, created_at__gte=since)
    fields = (
        *("attempt_id", "provider", "from_chain", "to_chain", "from_token", "to_token"),
        *("score", "fee_usd", "gas_usd", "to_amount_usd", "duration_sec"),
    )
    offers: dict[object, list[_Weighed]] = defaultdict(list)
    for attempt_id, provider, chain, to_chain, token, to_token, score, fee, gas, amount, seconds in rows.order_by(
        "-created_at", "-pk"
    ).values_list(*fields)[:MOST]:
        kind = LegKind.BRIDGE if chain != to_chain else LegKind.TRANSFER if token == to_token else LegKind.SWAP
        route = (provider, chain, to_chain)
        offers[attempt_id].append(_Weighed(route, kind, score, UsdAmount(fee + gas), amount, seconds))
    return [some for some in offers.values() if len(some) > 1]


def _best(offers: Sequence[_Weighed], counted: Risks, risks: Risks) -> _Weighed:
    """The pick with these risks; the stored score holds those that counted."""

    def rank(one: _Weighed) -> tuple[Decimal, Decimal, int, str]:
        before = counted.get(one.route, _assumed(one.kind))
        points = one.score + FAILURE_WEIGHT * (before - risks.get(one.route, _assumed(one.kind)))
        return -points, one.cost_usd, one.seconds, one.route[0]

    return min(offers, key=rank)


def _loss(pick: _Weighed, failed: Mapping[RouteKey, Decimal]) -> Decimal:
    share = failed.get(pick.route, _assumed(pick.kind))
    return pick.cost_usd + SECOND_USD * pick.seconds + share * (FAILURE_USD + FAILURE_SHARE * pick.amount_usd)


def _assumed(kind: str) -> Decimal:
    return FAILURE_RISK[LegKind(kind)]


def _mean(total: Decimal, count: int) -> Decimal:
    return (total / count if count else Decimal(0)).quantize(_PLACES, rounding=ROUND_HALF_EVEN)
