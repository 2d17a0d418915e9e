"""The scoreboard that anybody may read: thirty days of routes, shown only where no single merchant can be seen in them.

Source: docs/adr/0117.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from django.conf import settings
from django.db.models import F, Max, QuerySet, Sum

from core.clock import now
from core.modes import Mode
from core.money import UsdAmount
from payments.models import RouteFigures

DAYS = 30
MOST_ROWS = 200
"""Routes on the page, those with most payments first."""
_ROUTE = ("provider", "kind", "chain", "to_chain", "token", "to_token")
_SUMS = (
    *("confirmed", "failed", "shown_seconds", "took_milliseconds", "in_time", "in_twice_the_time", "short"),
    *("surplus_ppm", "compared", "cost_usd", "best_other_cost_usd"),
)
_TENTH, _CENT = Decimal("0.1"), Decimal("0.01")


@dataclass(frozen=True, kw_only=True)
class Score:
    """One line. Units: shares in per cent, times in seconds, costs in dollars for one payment; None where unknown.

    ``above_guaranteed``: what arrived above the guaranteed amount, in per cent of it. ``saved_usd``: by how much the
    route that was taken was cheaper than the best one that was not, below zero where it was dearer.
    """

    route: dict[str, str]
    payments: int
    arrived: Decimal
    in_time: Decimal | None
    in_twice_the_time: Decimal | None
    shown_seconds: Decimal | None
    took_seconds: Decimal | None
    below_guaranteed: int
    above_guaranteed: Decimal | None
    compared: int
    cost_usd: Decimal | None
    saved_usd: Decimal | None


@dataclass(frozen=True, kw_only=True)
class Board:
    """All that the page shows. ``calibration``: one line for each range of times that were shown before signing."""

    mode: Mode
    since: date
    least_payments: int
    least_merchants: int
    whole: Score | None
    routes: list[Score]
    calibration: list[Score]


def board(mode: Mode) -> Board:
    """The figures of the last thirty days. Routes of few payments, or of few merchants, are left out of every line."""
    since = now().date() - timedelta(days=DAYS)
    rows = RouteFigures.objects.filter(mode=mode, day__gt=since)
    return Board(
        mode=mode,
        since=since,
        least_payments=settings.SCOREBOARD_LEAST_PAYMENTS,
        least_merchants=settings.SCOREBOARD_LEAST_MERCHANTS,
        whole=next(iter(_scores(rows, ("mode",))), None),
        routes=_scores(rows, _ROUTE),
        calibration=sorted(
            _scores(rows, ("shown_within",)),
            key=lambda line: int(line.route["shown_within"]) or math.inf,  # 0 is for times longer than all others
        ),
    )


def _scores(rows: QuerySet[RouteFigures], by: Iterable[str]) -> list[Score]:
    """Why the most merchants of one day: those of several days may be the same ones."""
    named = tuple(by)
    sums = rows.values(*named).annotate(**{f"sum_{name}": Sum(name) for name in _SUMS}, most=Max("merchants"))
    enough = sums.annotate(payments=F("sum_confirmed") + F("sum_failed")).filter(
        payments__gte=settings.SCOREBOARD_LEAST_PAYMENTS, most__gte=settings.SCOREBOARD_LEAST_MERCHANTS
    )
    largest = sorted(enough.order_by(), key=lambda row: (-row["payments"], *(row[name] for name in named)))
    return [_score(row, named) for row in largest[:MOST_ROWS]]


def _score(row: dict[str, Any], named: Iterable[str]) -> Score:
    confirmed, compared = row["sum_confirmed"], row["sum_compared"]
    cost, other = row["sum_cost_usd"], row["sum_best_other_cost_usd"]
    return Score(
        route={name: str(row[name]) for name in named},
        payments=row["payments"],
        arrived=_share(confirmed, row["payments"]) or Decimal(0),
        in_time=_share(row["sum_in_time"], confirmed),
        in_twice_the_time=_share(row["sum_in_twice_the_time"], confirmed),
        shown_seconds=_mean(Decimal(row["sum_shown_seconds"]), confirmed, _TENTH),
        took_seconds=_mean(Decimal(row["sum_took_milliseconds"]) / 1000, confirmed, _TENTH),
        below_guaranteed=row["sum_short"],
        above_guaranteed=_mean(Decimal(row["sum_surplus_ppm"]) / 10_000, confirmed, _CENT),
        compared=compared,
        cost_usd=_mean(cost, compared, _CENT),
        saved_usd=_mean(UsdAmount(other - cost), compared, _CENT),
    )


def _share(part: int, whole: int) -> Decimal | None:
    return _mean(Decimal(100 * part), whole, _TENTH)


def _mean(total: Decimal, count: int, places: Decimal) -> Decimal | None:
    return (total / count).quantize(places, rounding=ROUND_HALF_EVEN) if count else None
