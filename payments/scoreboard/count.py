"""Counting what became of a day's routes, as figures that name nobody. Source: docs/adr/0117."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core.clock import now
from core.modes import Mode
from core.money import BaseUnits, UsdAmount
from payments.models import Leg, RouteCandidate, RouteFigures
from payments.routing.record import PAYING_KINDS
from payments.states import LegStatus

MOST_LEGS = 100_000
"""Of a day and mode. What is above is left out of the figures, which stay a sample."""
AT_ONCE = 1_000
AGAIN_FOR_DAYS = 3
"""A day is counted again so long: bridges take hours, and a reorganisation takes back."""
BOUNDS = (10, 30, 60, 300)
"""Upper ends of the times that are shown, in seconds."""
_ENDED = (LegStatus.CONFIRMED, LegStatus.FAILED, LegStatus.REFUNDED)
_MILLION = 1_000_000


class Ended(NamedTuple):
    """A leg that was sent and is over."""

    merchant_id: int
    attempt_id: UUID | None
    provider: str
    kind: str
    chain: str
    to_chain: str
    token: str
    to_token: str
    status: str
    min_output_base_units: BaseUnits
    output_base_units: BaseUnits | None
    typical_seconds: int
    submitted_at: datetime
    confirmed_at: datetime | None


class Costs(NamedTuple):
    """What the chosen route of an attempt cost, and the best of the others that would have worked."""

    chosen: UsdAmount
    best_other: UsdAmount


@dataclass(kw_only=True)
class _Sum:
    figures: RouteFigures
    merchants: set[int] = field(default_factory=set)


def count_days() -> None:
    """Count today and the days before it anew, in both modes."""
    today = now().date()
    for mode in Mode:
        for ago in range(AGAIN_FOR_DAYS):
            count_day(mode, today - timedelta(days=ago))


def count_day(mode: Mode, day: date) -> int:
    """Write a day's figures in place of those before; returns of how many legs. By when they were sent, in UTC."""
    sums: dict[tuple[object, ...], _Sum] = {}
    count = 0
    for some in _in_parts(_ended(mode, day)):
        count += len(some)
        costs = _costs(some)
        for leg in some:
            _add(sums, leg, costs.get(leg.attempt_id) if leg.attempt_id else None, mode, day)
    for one in sums.values():
        one.figures.merchants = len(one.merchants)
    with transaction.atomic():
        RouteFigures.objects.filter(mode=mode, day=day).delete()
        RouteFigures.objects.bulk_create((one.figures for one in sums.values()), batch_size=AT_ONCE)
    return count


def forget_old() -> int:
    """Delete the figures of days that are over for long; how many."""
    over = now().date() - timedelta(days=settings.KEEP_ROUTE_FIGURES_DAYS)
    return RouteFigures.objects.filter(day__lt=over).delete()[0]


def _ended(mode: Mode, day: date) -> Iterator[Ended]:
    begins = datetime.combine(day, time(), tzinfo=UTC)
    rows = Leg.objects.filter(
        mode=mode,
        kind__in=PAYING_KINDS,
        status__in=_ENDED,
        submitted_at__gte=begins,
        submitted_at__lt=begins + timedelta(days=1),
    )
    newest = rows.order_by("-submitted_at", "-pk").values_list(*Ended._fields)[:MOST_LEGS]
    return (Ended(*values) for values in newest.iterator(chunk_size=AT_ONCE))


def _in_parts(legs: Iterator[Ended]) -> Iterator[list[Ended]]:
    part: list[Ended] = []
    for leg in legs:
        part.append(leg)
        if len(part) == AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def _costs(legs: Sequence[Ended]) -> Mapping[UUID, Costs]:
    """By attempt, where one route was taken and another would have worked."""
    attempts = [leg.attempt_id for leg in legs if leg.attempt_id is not None]
    rows = RouteCandidate.objects.filter(attempt__in=attempts, error=None)
    chosen: dict[UUID, list[UsdAmount]] = defaultdict(list)
    others: dict[UUID, list[UsdAmount]] = defaultdict(list)
    for attempt_id, is_chosen, fee, gas in rows.order_by("pk").values_list(
        "attempt_id", "chosen", "fee_usd", "gas_usd"
    ):
        (chosen if is_chosen else others)[attempt_id].append(UsdAmount(fee + gas))
    return {
        key: Costs(chosen=taken[0], best_other=min(others[key]))
        for key, taken in chosen.items()
        if len(taken) == 1 and others[key]
    }


def _add(sums: dict[tuple[object, ...], _Sum], leg: Ended, costs: Costs | None, mode: Mode, day: date) -> None:
    shown = next((bound for bound in BOUNDS if leg.typical_seconds <= bound), 0)
    key = (leg.provider, leg.kind, leg.chain, leg.to_chain, leg.token, leg.to_token, shown)
    if key not in sums:
        names = dict(zip(("provider", "kind", "chain", "to_chain", "token", "to_token"), key[:6], strict=True))
        sums[key] = _Sum(figures=RouteFigures(mode=mode, day=day, shown_within=shown, **names))
    one = sums[key]
    one.merchants.add(leg.merchant_id)
    row = one.figures
    if leg.status != LegStatus.CONFIRMED:
        row.failed += 1
    else:
        _add_arrival(row, leg)
    if costs is not None:
        row.compared += 1
        row.cost_usd, row.best_other_cost_usd = (
            UsdAmount(row.cost_usd + costs.chosen),
            UsdAmount(row.best_other_cost_usd + costs.best_other),
        )


def _add_arrival(row: RouteFigures, leg: Ended) -> None:
    row.confirmed += 1
    took = shown = leg.typical_seconds * 1000
    if leg.confirmed_at is not None:  # else nobody wrote down when it arrived
        took = max((leg.confirmed_at - leg.submitted_at) // timedelta(milliseconds=1), 0)
    row.shown_seconds += leg.typical_seconds
    row.took_milliseconds += took
    row.in_time += took <= shown
    row.in_twice_the_time += took <= 2 * shown
    arrived, promised = leg.output_base_units, leg.min_output_base_units
    if arrived is not None and promised > 0:
        row.short += arrived < promised
        row.surplus_ppm += max(arrived - promised, 0) * _MILLION // promised
