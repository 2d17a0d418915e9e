"""What processes count and how long things take, for Prometheus: noted in memory, added up in one table for all.

Why a table and no address of each process: a scrape finds one program, however many hosts, processes and workers there
are, and what a process that ended had counted stays counted. Source: docs/adr/0091.
"""

import logging
from bisect import bisect_left
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from django.db import connection

from core.repeats import OURS
from core.written_later import WrittenLater

BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Units: seconds. The last bucket, without an end, is beside them."""
ENDLESS: Final = "+Inf"
MICROSECONDS: Final = 1_000_000
"""Of a second: what a histogram's sum counts in, so that all totals are whole."""
_EDGES: Final = (*map(str, BUCKETS), ENDLESS)
MOST_SERIES: Final = 1000
"""Why a bound at all: labels are taken from closed lists, and a fault there must not fill the memory."""


class Series(NamedTuple):
    """One row of the table: a metric, and the values of its labels in their order."""

    name: str
    labels: tuple[str, ...]


class Totals(WrittenLater[dict[Series, int]]):
    """What was counted in this process since it was last written down."""

    every = timedelta(seconds=5)
    what = "metrics"

    def __init__(self) -> None:
        super().__init__()
        self._counted: dict[Series, int] = {}
        self._are_kept = False

    def keep(self) -> None:
        """Count from now on. Why not by itself: a program that writes nothing down later would count for nobody."""
        self._are_kept = True

    def add(self, *amounts: tuple[Series, int]) -> None:
        """Count. Never waits, and asks no database."""
        if not self._are_kept:
            return
        with self._lock:
            self._begin_if_new()
            self._put_in(amounts)

    def _put_in(self, amounts: Sequence[tuple[Series, int]]) -> None:
        for series, amount in amounts:
            if series in self._counted or len(self._counted) < MOST_SERIES:
                self._counted[series] = self._counted.get(series, 0) + amount

    def _take(self) -> dict[Series, int]:
        batch, self._counted = self._counted, {}
        return batch

    def _put_back(self, batch: dict[Series, int]) -> None:
        self._put_in(list(batch.items()))

    def _store(self, batch: dict[Series, int]) -> None:
        """Add to what is there. Why in order: two processes that take rows in other orders would wait in a circle."""
        if not batch:
            return
        from core.models import MetricTotal  # noqa: PLC0415  Why: logs are counted before there are models.

        table = MetricTotal._meta.db_table
        places = ", ".join(["(%s, %s, %s)"] * len(batch))
        values = [part for (name, labels), total in sorted(batch.items()) for part in (name, "|".join(labels), total)]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} (name, labels, total) VALUES {places} "  # noqa: S608 - our own names
                f"ON CONFLICT (name, labels) DO UPDATE SET total = {table}.total + excluded.total",
                values,
            )


totals = Totals()
"""Of this process."""


class Counter:
    """Something that happens, by labels from closed lists."""

    def __init__(self, name: str, help_text: str, labels: tuple[str, ...]) -> None:
        self.name, self.help, self.labels = name, help_text, labels

    def add(self, *labels: str, amount: int = 1) -> None:
        """It happened."""
        totals.add((Series(self.name, labels), amount))


class Histogram:
    """How long something takes, by labels from closed lists. A row holds what fell into its own bucket alone."""

    def __init__(self, name: str, help_text: str, labels: tuple[str, ...]) -> None:
        self.name, self.help, self.labels = name, help_text, labels

    def observe(self, *labels: str, seconds: float) -> None:
        """It took so long."""
        edge = _EDGES[bisect_left(BUCKETS, seconds)]
        taken = round(seconds * MICROSECONDS)
        totals.add((Series(self.name, (*labels, edge)), 1), (Series(f"{self.name}_sum", labels), taken))


REQUESTS: Final = Histogram(
    "causeway_request_seconds", "How long requests took, from the whole request to its answer.", ("area", "status")
)
TASKS: Final = Histogram("causeway_task_seconds", "How long work by the clock took.", ("task", "outcome"))
DELIVERIES: Final = Counter(
    "causeway_deliveries_total", "Attempts to deliver a webhook, by their outcome.", ("outcome",)
)
TRANSITIONS: Final = Counter(
    "causeway_transitions_total", "Rows that went to a status, such as payments that were settled.", ("table", "status")
)
LOG_RECORDS: Final = Counter(
    "causeway_log_records_total", "Warnings and errors, those that the log leaves out included.", ("logger", "level")
)
ALL: Final = (REQUESTS, TASKS, DELIVERIES, TRANSITIONS, LOG_RECORDS)
"""Everything that processes count."""


class CountsRecords(logging.Filter):
    """Counts warnings and errors, and lets all records through."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Why a library's by its first name alone: labels are a closed list."""
        if record.levelno >= logging.WARNING:
            first, _, rest = record.name.partition(".")
            LOG_RECORDS.add(f"{first}.{rest}" if first == OURS else first, record.levelname.lower())
        return True
