"""Measures what the service asks of its database at ten thousand rows and at many, in turn."""

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from scripts.bench.stage import INTENTS, Stage, fresh_database, read_sql, set_up

if TYPE_CHECKING:  # importing it loads the service, which needs the environment first
    from scripts.bench.inside import Statement

WARM_UP = 8
"""Why more than five: a prepared statement gets its final plan at the sixth."""


Connection = psycopg.Connection[tuple[object, ...]]


def measure_growth(stage: Stage, *, rows: int, repeats: int) -> tuple[dict[str, float], list[str]]:
    """Every statement at both sizes: the figure of the goal, and lines for people."""
    from scripts.bench.inside import statements  # noqa: PLC0415  Why: loads the service.

    with ExitStack() as stack:
        places = [stack.enter_context(filled_database(stage, size)) for size in (INTENTS, rows)]
        asked = [statements(place, size) for place, size in zip(places, (INTENTS, rows), strict=True)]
        databases = [stack.enter_context(psycopg.connect(place.database_url)) for place in places]
        found = {name: [statements[name] for statements in asked] for name in asked[0]}
        times = {name: time_in_turn(databases, both, repeats) for name, both in found.items()}
        pages = {
            name: [pages_of(database, one) for database, one in zip(databases, both, strict=True)]
            for name, both in found.items()
        }
    growth = {name: many / few for name, (few, many) in times.items()}
    lines = [
        f"{name:<40}{few:>11.2f} ms{many:>11.2f} ms{growth[name]:>9.2f}{pages[name][0]:>12,}{pages[name][1]:>12,}"
        for name, (few, many) in times.items()
    ]
    head = f"{'rows':<40}{INTENTS:>14,}{rows:>14,}   growth{'pages read':>12}{'':>12}"
    return {"growth": max(growth.values())}, [head, *lines]


@contextmanager
def filled_database(stage: Stage, rows: int, *more: str) -> Iterator[Stage]:
    """A database of its own with so many intents, events and deliveries, and what more scripts of ``sql/`` add."""
    with fresh_database(stage.database_url) as database_url:
        place = set_up(database_url, stage.folder)
        with psycopg.connect(database_url, autocommit=True) as database:
            cursor = psycopg.ClientCursor(database)  # which may send several statements at once
            cursor.execute(read_sql("bare.sql"))
            for script in ("intents.sql", "history.sql", *more):
                cursor.execute(read_sql(script), {"merchant_id": place.merchant_id, "intents": rows})
            cursor.execute(read_sql("indexed.sql"))
            cursor.execute("VACUUM ANALYZE")
        yield place


def pages_of(database: Connection, asked: Sequence["Statement"]) -> int:
    """How many pages of 8 KiB these answers read, in memory or not: what no other work of the machine changes."""
    read = 0
    for statement in asked:
        plan: Any = database.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement.sql}", statement.parameters)
        [top] = plan.fetchone()[0]
        read += top["Plan"]["Shared Hit Blocks"] + top["Plan"]["Shared Read Blocks"]
    database.rollback()
    return read


def time_in_turn(databases: Sequence[Connection], asked: Sequence[Sequence["Statement"]], repeats: int) -> list[float]:
    """What each database's answers take, round trip included, in milliseconds.

    Why the quicker quarter, not the median: it tells the work apart from what else the machine does.
    """
    taken: list[list[float]] = [[] for _ in databases]
    for turn in range(WARM_UP + repeats):
        for database, statements, seen in zip(databases, asked, taken, strict=True):
            started = time.perf_counter()
            for statement in statements:
                database.execute(statement.sql, statement.parameters).fetchall()
            if turn >= WARM_UP:
                seen.append((time.perf_counter() - started) * 1000)
            database.rollback()
    return [statistics.quantiles(seen, n=4)[0] for seen in taken]
