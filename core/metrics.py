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
SLOW_BUCKETS: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)
"""Of what chains take."""
ENDLESS: Final = "+Inf"
MILLIONTHS: Final = 1_000_000
"""Of a second or of a coin: what sums and readings are kept in, so that all totals are whole."""
MOST_SERIES: Final = 1000
"""Why a bound at all: labels are taken from closed lists, and a fault there must not fill the memory."""


class Series(NamedTuple):
    """One row of the table: a metric, and the values of its labels in their order."""

    name: str
    labels: tuple[str, ...]


class Noted(NamedTuple):
    """What one process counted, to be added up, and what it read, of which the newest holds."""

    counted: dict[Series, int]
    read: dict[Series, int]


class Totals(WrittenLater[Noted]):
    """What was counted and read in this process since it was last written down."""

    every = timedelta(seconds=5)
    what = "metrics"

    def __init__(self) -> None:
        super().__init__()
        self._noted = Noted({}, {})
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

    def set(self, series: Series, value: int) -> None:
        """Note what was read last. As ``add``."""
        if not self._are_kept:
            return
        with self._lock:
            self._begin_if_new()
            if series in self._noted.read or len(self._noted.read) < MOST_SERIES:
                self._noted.read[series] = value

    def _put_in(self, amounts: Sequence[tuple[Series, int]]) -> None:
        counted = self._noted.counted
        for series, amount in amounts:
            if series in counted or len(counted) < MOST_SERIES:
                counted[series] = counted.get(series, 0) + amount

    def _take(self) -> Noted:
        batch, self._noted = self._noted, Noted({}, {})
        return batch

    def _put_back(self, batch: Noted) -> None:
        self._put_in(list(batch.counted.items()))
        self._noted = self._noted._replace(read=batch.read | self._noted.read)

    def _store(self, batch: Noted) -> None:
        """Add to what is there, and replace what was read before."""
        self._upsert(batch.counted, "total = {table}.total + excluded.total")
        self._upsert(batch.read, "total = excluded.total")

    def _upsert(self, batch: dict[Series, int], change: str) -> None:
        """Why in order: two processes that take rows in other orders would wait in a circle."""
        if not batch:
            return
        from core.models import MetricTotal  # noqa: PLC0415  Why: logs are counted before there are models.

        table = MetricTotal._meta.db_table
        places = ", ".join(["(%s, %s, %s)"] * len(batch))
        values = [part for (name, labels), total in sorted(batch.items()) for part in (name, "|".join(labels), total)]
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} (name, labels, total) VALUES {places} "  # noqa: S608 - our own names
                f"ON CONFLICT (name, labels) DO UPDATE SET {change.format(table=table)}",
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
    """How long something takes, by labels from closed lists. A row holds what fell into its own bucket alone.

    ``edges``: how the table writes the ends of its buckets, the last of which has none.
    """

    def __init__(
        self, name: str, help_text: str, labels: tuple[str, ...], buckets: tuple[float, ...] = BUCKETS
    ) -> None:
        self.name, self.help, self.labels, self._buckets = name, help_text, labels, buckets
        self.edges = (*map(str, buckets), ENDLESS)

    def observe(self, *labels: str, seconds: float) -> None:
        """It took so long."""
        edge = self.edges[bisect_left(self._buckets, seconds)]
        taken = round(seconds * MILLIONTHS)
        totals.add((Series(self.name, (*labels, edge)), 1), (Series(f"{self.name}_sum", labels), taken))


class Reading:
    """Something that is read now and then, by labels from closed lists: what any process read last holds.

    Units: the table keeps millionths.
    """

    def __init__(self, name: str, help_text: str, labels: tuple[str, ...]) -> None:
        self.name, self.help, self.labels = name, help_text, labels

    def set(self, *labels: str, millionths: int) -> None:
        """It is so much."""
        totals.set(Series(self.name, labels), millionths)


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
SETTLES: Final = Histogram(
    "causeway_settle_seconds",
    "How long payments took from their first transaction to settling.",
    ("mode", "chain"),
    SLOW_BUCKETS,
)
NODE_QUESTIONS: Final = Counter(
    "causeway_node_questions_total", "Questions to nodes of chains, by how they ended.", ("chain", "node", "outcome")
)
NODE_DISAGREEMENTS: Final = Counter(
    "causeway_node_disagreements_total", "Times that two nodes of a chain contradicted each other.", ("chain",)
)
SIGNER_COINS: Final = Reading(
    "causeway_signer_coins",
    "What a signing account had of its chain's own coin before it last was to send.",
    ("chain", "account"),
)
ALL: Final = (
    *(REQUESTS, TASKS, DELIVERIES, TRANSITIONS, LOG_RECORDS, SETTLES, NODE_QUESTIONS, NODE_DISAGREEMENTS),
    SIGNER_COINS,
)
"""Everything that processes count."""


class CountsRecords(logging.Filter):
    """Counts warnings and errors, and lets all records through."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Why a library's by its first name alone: labels are a closed list."""
        if record.levelno >= logging.WARNING:
            first, _, rest = record.name.partition(".")
            LOG_RECORDS.add(f"{first}.{rest}" if first == OURS else first, record.levelname.lower())
        return True
