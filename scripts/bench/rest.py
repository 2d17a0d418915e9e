"""Measures create, retrieve and replay over HTTP, each beside the least that its database must do for it.

And the polls of payers' pages, beside the same polls by the whole stack.
"""

import secrets
import statistics
import time
from collections import defaultdict

import psycopg

from scripts.bench.load import CONNECTIONS, Load, median_load, pgbench, spread, wrk
from scripts.bench.polls import open_pages
from scripts.bench.stage import INTENTS, Stage

KINDS = ("create", "retrieve", "replay")
POLLS = ("poll", "poll_whole")
MANY_CONNECTIONS = 64
STATISTICS_SECONDS = 1.5
"""How long PostgreSQL may keep its counters to itself."""


def measure_rest(
    stage: Stage, base_url: str, best_url: str, *, rounds: int, seconds: int
) -> tuple[dict[str, float], list[str]]:
    """Interleave rounds of the service and its floor: the goals' figures, and lines for people."""
    loads: dict[str, list[Load]] = defaultdict(list)
    floors: dict[str, list[float]] = defaultdict(list)
    replayed = secrets.token_hex(4)
    for kind in KINDS:
        ask(stage, base_url, kind, replayed, seconds=1)
    ask(stage, best_url, "create", replayed, seconds=1)
    for _ in range(rounds):
        for kind in KINDS:
            loads[kind].append(ask(stage, base_url, kind, replayed, seconds=seconds))
        loads["best"].append(ask(stage, best_url, "create", replayed, seconds=seconds))
        pages = open_pages(stage, base_url)  # in each round: what a page polls with holds for five minutes
        for kind in POLLS:
            loads[kind].append(wrk(base_url, [kind, "", pages], seconds=seconds))
        floors["create"].append(create_floor(stage, seconds))
        floors["create7"].append(fixed_floor(stage, seconds))
        floors["retrieve"].append(retrieve_floor(stage, seconds))
    medians = {kind: median_load(seen) for kind, seen in loads.items()}
    floor = {kind: statistics.median(seen) for kind, seen in floors.items()}
    created = medians["create"]
    figures = {
        "create_of_floor": created.per_second / floor["create7"],
        "create_share": created.per_second / floor["create"],
        "create_p99_of_best": created.p99_ms / medians["best"].p99_ms,
        "retrieve_of_floor": medians["retrieve"].per_second / floor["retrieve"],
        "replay_share": medians["replay"].per_second / created.per_second,
        "poll_share": medians["poll"].per_second / medians["poll_whole"].per_second,
        **measure_crowd(stage, base_url, seconds),
    }
    return figures, describe(loads, floors)


def ask(stage: Stage, base_url: str, kind: str, replayed: str, *, seconds: int, connections: int = CONNECTIONS) -> Load:
    """Put one kind of load on the service."""
    third = {"create": secrets.token_hex(4), "retrieve": str(stage.folder / "ids"), "replay": replayed}[kind]
    return wrk(base_url, [kind, stage.credential, third], seconds=seconds, connections=connections)


def create_floor(stage: Stage, seconds: int) -> float:
    """Transactions a second of the three inserts alone."""
    return pgbench(stage.database_url, "create.sql", {"merchant_id": stage.merchant_id}, seconds=seconds)


def fixed_floor(stage: Stage, seconds: int) -> float:
    """Transactions a second of three inserts into tables that never change."""
    return pgbench(stage.database_url, "create7.sql", {"merchant_id": stage.merchant_id}, seconds=seconds)


def retrieve_floor(stage: Stage, seconds: int) -> float:
    """Reads a second of one row by its key alone."""
    return pgbench(stage.database_url, "retrieve.sql", {"intents": INTENTS}, seconds=seconds)


def measure_crowd(stage: Stage, base_url: str, seconds: int) -> dict[str, float]:
    """Errors, and connections that the service opens to its database, while many clients ask."""
    time.sleep(STATISTICS_SECONDS)
    before = count_sessions(stage)
    loads = [ask(stage, base_url, kind, "", seconds=seconds, connections=MANY_CONNECTIONS) for kind in KINDS]
    time.sleep(STATISTICS_SECONDS)
    opened = count_sessions(stage) - before - 1  # this look is one too
    requests = sum(load.requests for load in loads)
    return {"errors": sum(load.errors for load in loads), "connections": opened / requests * 1000}


def count_sessions(stage: Stage) -> int:
    """How many connections this database has ever seen, the one that asks included."""
    with psycopg.connect(stage.database_url) as database:
        row = database.execute("SELECT sessions FROM pg_stat_database WHERE datname = current_database()").fetchone()
    return int(row[0]) if row else 0


def describe(loads: dict[str, list[Load]], floors: dict[str, list[float]]) -> list[str]:
    """The absolute figures behind the ratios, with the spread of the rounds."""
    lines = []
    for kind, seen in loads.items():
        load = median_load(seen)
        lines.append(
            f"{kind:<10}{spread([one.per_second for one in seen]):<34} requests/s   "
            f"p50 {load.p50_ms:.1f} ms, p99 {load.p99_ms:.1f} ms, {load.errors} errors"
        )
    lines += [f"{'floor of ' + kind:<20}{spread(seen):<24} transactions/s" for kind, seen in floors.items()]
    return lines
