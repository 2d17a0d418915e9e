"""Runs the benchmark and prints every goal with its figure; fails when a goal's ``must`` is missed.

Usage: python -m scripts.with_services --durable -- \
           python -m scripts.bench [--quick | --scale] [--rows N] [--only PART ...]
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from scripts.bench import goals, stage
from scripts.bench.backlog import measure_backlog
from scripts.bench.embedded import measure_embedded
from scripts.bench.growth import measure_growth
from scripts.bench.invariants import measure_invariants
from scripts.bench.left import measure_left
from scripts.bench.live.part import measure_live
from scripts.bench.others import measure_others
from scripts.bench.rest import measure_rest
from scripts.bench.webhooks.measure import Amounts, measure_webhooks

RECORD = stage.ROOT / ".local" / "bench.json"
"""All figures of the last run, for programs."""
Figures = tuple[dict[str, float], list[str]]


@dataclass(frozen=True, kw_only=True)
class Size:
    """How long a run takes: rounds over HTTP, seconds of each measurement, deliveries, rows, repeats, backlog.

    ``rows``: of a table whose questions must not grow; ``checked``: payments among which the invariants are checked.
    """

    rounds: int
    seconds: int
    deliveries: Amounts
    rows: int
    repeats: int
    backlog: int
    checked: int


FULL = Size(
    rounds=3,
    seconds=4,
    deliveries=Amounts(rounds=3, drained=12_000, posted=20_000, tasks=2_000),
    rows=1_000_000,
    repeats=60,
    backlog=300_000,
    checked=1_000_000,
)
QUICK = Size(
    rounds=3,
    seconds=2,
    deliveries=Amounts(rounds=1, drained=6_000, posted=10_000, tasks=1_000),
    rows=200_000,
    repeats=30,
    backlog=30_000,
    checked=200_000,
)
SCALE = replace(FULL, rows=5_000_000)
"""What the goals of scale are said for."""


def rest(place: stage.Stage, size: Size) -> Figures:
    """Create, retrieve and replay."""
    with stage.web_server(place.folder) as base_url, stage.best_server(place.folder) as best_url:
        return measure_rest(place, base_url, best_url, rounds=size.rounds, seconds=size.seconds)


def webhooks(place: stage.Stage, size: Size) -> Figures:
    """Webhook delivery."""
    return measure_webhooks(place, size.deliveries)


def round_trips(place: stage.Stage, size: Size) -> Figures:
    """How often a request waits for the database."""
    from scripts.bench.inside import measure_round_trips  # noqa: PLC0415  Why: loads the service.

    return measure_round_trips(place)


def looks(place: stage.Stage, size: Size) -> Figures:
    """What workers write where nothing happens."""
    from scripts.bench.looks import measure_looks  # noqa: PLC0415  Why: loads the service.

    return measure_looks(place)


def growth(place: stage.Stage, size: Size) -> Figures:
    """The same questions at few and at many rows."""
    return measure_growth(place, rows=size.rows, repeats=size.repeats)


def backlog(place: stage.Stage, size: Size) -> Figures:
    """A claim of deliveries beside an endpoint that answers nothing."""
    return measure_backlog(place, backlog=size.backlog, repeats=size.repeats)


def embedded(place: stage.Stage, size: Size) -> Figures:
    """The service of a newcomer: one machine, SQLite."""
    return measure_embedded(place, starts=size.rounds)


def live(place: stage.Stage, size: Size) -> Figures:
    """Real payments on a chain of this machine's own."""
    return measure_live(place, is_quick=size == replace(QUICK, rows=size.rows, checked=size.checked))


def invariants(place: stage.Stage, size: Size) -> Figures:
    """An hour's check of the invariants."""
    return measure_invariants(place, rows=size.checked)


def left(place: stage.Stage, size: Size) -> Figures:
    """What a settled payment leaves."""
    return measure_left(place)


def others(place: stage.Stage, size: Size) -> Figures:
    """Other products beside the service."""
    return measure_others(place, rounds=size.rounds, seconds=size.seconds)


PARTS: dict[str, Callable[[stage.Stage, Size], Figures]] = {
    "rest": rest,
    "round trips": round_trips,
    "webhooks": webhooks,
    "looks": looks,
    "growth": growth,
    "backlog": backlog,
    "embedded": embedded,
    "live": live,
    "invariants": invariants,
    "left": left,
    "others": others,
}
UNASKED = [name for name in PARTS if name not in {"live", "invariants", "left", "others"}]
"""What is measured where nobody names parts. Why not all: the live part needs a node of a chain on this machine, the
invariants a database that takes minutes to fill, others a product that is installed by its own instructions, and what
is left changes with no request."""
OF_SCALE = ["looks", "backlog", "growth", "invariants", "left"]
"""What must stay as it is with a hundred times as much."""


def main() -> int:
    """Measure the parts that were asked for and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="about two minutes, for a first impression")
    length.add_argument("--scale", action="store_true", help="the goals of scale alone, at five million rows")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="parts to measure")
    parser.add_argument("--rows", type=int, help="most rows of a table, and payments that are checked")
    arguments = parser.parse_args()
    size = QUICK if arguments.quick else SCALE if arguments.scale else FULL
    if arguments.rows:
        size = replace(size, rows=arguments.rows, checked=arguments.rows)
    asked = arguments.only or (OF_SCALE if arguments.scale else UNASKED)
    measured: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory(prefix="causeway-bench-") as folder,
        stage.fresh_database(os.environ["DATABASE_URL"]) as database_url,
    ):
        os.environ.update(stage.environment(database_url, os.environ["REDIS_URL"], Path(folder)))
        place = stage.set_up(database_url, Path(folder))
        stage.add_intents(place)
        for name in asked:
            figures, lines = PARTS[name](place, size)
            measured |= figures
            print("\n".join([f"\n{name}", *lines]), flush=True)
    print(f"\n{goals.table(measured)}")
    missed = goals.missed(measured)
    if missed:
        print(f"\nMISSED: {'; '.join(missed)}")
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(goals.record(measured), indent=1))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
