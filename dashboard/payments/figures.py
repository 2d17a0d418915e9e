"""What a merchant took in over some days and over the days before: a few sums that the database makes by index."""

import time as clock
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from django.core.cache.backends.locmem import LocMemCache
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Count, DateTimeField, Func, QuerySet, Sum
from django.db.models.sql.compiler import SQLCompiler

from core.asking import count_each
from core.clock import now
from core.money import ZERO_USD, UsdAmount
from merchants.principal import Principal
from payments.models import PaymentIntent
from payments.states import UNSOLD, IntentStatus

Parameters = tuple[str | int, ...]
IN_FLIGHT = (IntentStatus.EXECUTING, IntentStatus.PARTIALLY_FILLED)
"""Money is on its way or a part of it is there, and more is awaited."""
LONG_NS, KEPT_SECONDS = 25_000_000, 60
"""Sums that took so long are kept so long."""
_kept = LocMemCache("home-figures", {})
SOLD = (IntentStatus.SETTLED, IntentStatus.REFUNDED)


@dataclass(frozen=True, kw_only=True)
class Sales:
    """What settled on one day, or in one period. Refunds are not taken off."""

    count: int = 0
    volume: UsdAmount = ZERO_USD

    @property
    def average(self) -> Decimal:
        """Dollars per settled payment; zero without one."""
        return self.volume / self.count if self.count else Decimal(0)


@dataclass(frozen=True, kw_only=True)
class Period:
    """Some whole days. ``ended`` is every payment created in them that is over by now, ``paid`` a part of those."""

    first: date
    last: date
    by_day: tuple[tuple[date, Sales], ...]
    ended: int
    paid: int

    @property
    def sales(self) -> Sales:
        """All days together."""
        volume = sum((sales.volume for _, sales in self.by_day), Decimal(0))
        return Sales(count=sum(sales.count for _, sales in self.by_day), volume=UsdAmount(volume))

    @property
    def success(self) -> Decimal | None:
        """Per cent of the payments created in the period and ended by now that were settled; None if none ended."""
        return Decimal(100 * self.paid) / self.ended if self.ended else None


class _Written(Func):
    """An expression that each database writes its own way."""

    sqlite, postgresql = "", ""

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: object) -> tuple[str, Parameters]:
        """As SQLite writes it."""
        return self._in(self.sqlite, compiler)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Parameters]:
        """As PostgreSQL writes it."""
        return self._in(self.postgresql, compiler)

    def _in(self, form: str, compiler: SQLCompiler) -> tuple[str, Parameters]:
        sql, parameters = compiler.compile(self.source_expressions[0])
        return form.format(sql), tuple(parameters)


class _DayOf(_Written):
    """The midnight before a moment, in UTC.

    Why not Django's: on SQLite, where moments are UTC text, it calls Python per row; PostgreSQL looks up zones per row.
    """

    output_field = DateTimeField()
    sqlite, postgresql = "substr({}, 1, 10)", "date_bin('1 day', {}, TIMESTAMPTZ '2000-01-01 00:00:00+00')"


class SecondsOf(_Written):
    """A moment in whole seconds since 1970."""

    output_field = BigIntegerField()
    sqlite, postgresql = "CAST(strftime('%%s', {}) AS INTEGER)", "floor(extract(epoch FROM {}))::bigint"


def last_days(principal: Principal, days: int) -> tuple[Period, Period]:
    """The last so many UTC days with today, and as many before them; a minute old at most.

    Why kept only where it took long: who has few payments sees each at once, who has very many waits once a minute.
    """
    today = now().astimezone(UTC).date()
    key = f"{principal.merchant_id}-{principal.mode}-{days}-{today}"
    periods: tuple[Period, Period] | None = _kept.get(key)
    if periods is None:
        begun = clock.perf_counter_ns()
        first = today - timedelta(days=days - 1)
        earlier = first - timedelta(days=days)
        settled = PaymentIntent.objects.visible_to(principal).filter(settled_at__gte=_begin(earlier)).order_by()
        rows = settled.values(day=_DayOf("settled_at")).annotate(count=Count("*"), volume=Sum("received_usd"))
        sold = {row["day"].date(): Sales(count=row["count"], volume=row["volume"]) for row in rows}
        ends = _ends(principal, earlier, first)
        periods = _period(first, days, sold, ends[2:]), _period(earlier, days, sold, ends[:2])
        if clock.perf_counter_ns() - begun > LONG_NS:
            _kept.set(key, periods, KEPT_SECONDS)
    return periods


def forget_figures() -> None:
    """Sum everything anew at the next question."""
    _kept.clear()


def in_flight(principal: Principal) -> Sales:
    """The payments on their way now, by what was asked for."""
    mine = PaymentIntent.objects.visible_to(principal).filter(status__in=IN_FLIGHT)
    found = mine.aggregate(count=Count("*"), volume=Sum("amount"))
    return Sales(count=found["count"], volume=found["volume"] or ZERO_USD)


def _period(first: date, days: int, sold: dict[date, Sales], ends: Sequence[int]) -> Period:
    dates = [first + timedelta(days=number) for number in range(days)]
    return Period(
        first=first,
        last=dates[-1],
        by_day=tuple((day, sold.get(day, Sales())) for day in dates),
        ended=sum(ends),
        paid=ends[0],
    )


def _ends(principal: Principal, since: date, divide: date) -> list[int]:
    """Payments created before the dividing day that were sold and that were not, then those from it on.

    Why a question for each: the index that begins with the status counts a stretch of days faster than any grouping.
    """
    mine = PaymentIntent.objects.visible_to(principal).filter(created_at__gte=_begin(since))
    parts: list[QuerySet[PaymentIntent]] = [
        mine.filter(created_at__lt=_begin(divide)),
        mine.filter(created_at__gte=_begin(divide)),
    ]
    return count_each(part.filter(status__in=statuses) for part in parts for statuses in (SOLD, UNSOLD))


def _begin(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
