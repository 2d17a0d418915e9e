"""This service's own record of routes: what was quoted against what came of it, per provider and chain pair.

Read at most once a minute per process and mode, and bounded, since it only feeds a preference.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from core.clock import now
from core.modes import Mode
from core.money import BaseUnits
from payments.models import Leg
from payments.routing.base import RouteKey
from payments.states import LegStatus

REMEMBERED_FOR = timedelta(days=30)
MOST_LEGS = 2_000
FRESH_FOR = timedelta(seconds=60)
PAYING_KINDS = ("transfer", "swap", "bridge")
_ENDED = (LegStatus.CONFIRMED, LegStatus.FAILED, LegStatus.REFUNDED)


@dataclass(frozen=True, kw_only=True)
class RouteOutcome:
    """What became of all payments on one route.

    Units: ``shortfalls`` is the sum of the shares by which less arrived than was guaranteed; ``slowness`` the sum
    of realised over quoted time.
    """

    route: RouteKey
    confirmed: int = 0
    failed: int = 0
    shortfalls: Decimal = Decimal(0)
    slowness: Decimal = Decimal(0)


class _Row(NamedTuple):
    provider: str
    chain: str
    to_chain: str
    status: str
    min_output_base_units: BaseUnits
    output_base_units: BaseUnits | None
    typical_seconds: int
    submitted_at: datetime
    confirmed_at: datetime | None

    @property
    def shortfall(self) -> Decimal:
        """The share by which less arrived than was guaranteed; a surplus counts as none."""
        if self.output_base_units is None or self.min_output_base_units <= 0:
            return Decimal(0)
        return max(1 - Decimal(self.output_base_units) / Decimal(self.min_output_base_units), Decimal(0))

    @property
    def slowness(self) -> Decimal:
        if self.confirmed_at is None or self.typical_seconds <= 0:
            return Decimal(1)
        taken = (self.confirmed_at - self.submitted_at) // timedelta(milliseconds=1)
        return Decimal(taken) / (1000 * self.typical_seconds)


_read_at: dict[Mode, tuple[datetime, Sequence[RouteOutcome]]] = {}


def recent_outcomes(mode: Mode) -> Sequence[RouteOutcome]:
    """The outcomes of one mode, at most ``FRESH_FOR`` old. Why per mode: play money proves nothing about money."""
    cached = _read_at.get(mode)
    if cached is None or not timedelta(0) <= now() - cached[0] < FRESH_FOR:
        cached = _read_at[mode] = (now(), summarise(_rows(mode)))
    return cached[1]


def forget_outcomes() -> None:
    """Read anew at the next question."""
    _read_at.clear()


def summarise(rows: Iterable[_Row]) -> Sequence[RouteOutcome]:
    """Rows of legs as one outcome per route."""
    by_route: dict[RouteKey, list[_Row]] = defaultdict(list)
    for row in rows:
        by_route[row.provider, row.chain, row.to_chain].append(row)
    return [_outcome(route, group) for route, group in sorted(by_route.items())]


def _rows(mode: Mode) -> Iterable[_Row]:
    legs = Leg.objects.filter(
        mode=mode, kind__in=PAYING_KINDS, status__in=_ENDED, submitted_at__gte=now() - REMEMBERED_FOR
    )
    return [_Row(*values) for values in legs.order_by("-submitted_at", "-pk").values_list(*_Row._fields)[:MOST_LEGS]]


def _outcome(route: RouteKey, rows: Sequence[_Row]) -> RouteOutcome:
    confirmed = [row for row in rows if row.status == LegStatus.CONFIRMED]
    return RouteOutcome(
        route=route,
        confirmed=len(confirmed),
        failed=len(rows) - len(confirmed),
        shortfalls=sum((row.shortfall for row in confirmed), Decimal(0)),
        slowness=sum((row.slowness for row in confirmed), Decimal(0)),
    )
