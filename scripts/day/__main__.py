"""Runs the operator's day: breaks what a table names, one row after the other, while payments go on.

Usage: python -m scripts.day [--only A E2 ...] [--hold SECONDS] [--impatient]    ``make operators-day``. Ends with 1
where anything was lost or doubled, an outage was not named in time, or something did not come back by itself.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.cluster.journal import TOLD, Journal, Reading
from scripts.cluster.load import Caller
from scripts.cluster.programs import ROOT, Program, Supervisor
from scripts.day import places, verdict
from scripts.day.engines import DISK, Engines, clear, own_disk
from scripts.day.form import Day
from scripts.day.rows import BY_NAME, ROWS, Row
from scripts.day.watch import Rows
from scripts.service_process import ServiceError
from scripts.with_services import INTERRUPTED, Terminated, terminate

RATE = 1.0
FIRST_SECONDS = 120


@contextmanager
def running(folder: Path, *, is_patient: bool, receiver: str) -> Iterator[Day]:
    """The whole form with a merchant, who pays and is told, while the block runs. Raises: ServiceError."""
    clear(folder)
    supervisor = Supervisor()
    with own_disk(folder / DISK) as is_own:
        engines = Engines(folder=folder, disk=folder / DISK, supervisor=supervisor, is_patient=is_patient)
        try:
            engines.start()
            day = Day(
                database_url=engines.database_url, redis_url=engines.redis_url, folder=folder, supervisor=supervisor,
                engines=engines, has_own_disk=is_own,
            )  # fmt: skip
            day.start()
            begin(day, receiver)
            yield day
        finally:
            supervisor.end()


def begin(day: Day, receiver: str) -> None:
    """Register a receiver and let payments begin; returns when one was settled and told. Raises: ServiceError."""
    folder, key = day.folder, str(day.new_merchant("shop")["test_secret_key"])
    journal = folder / "journal"
    (folder / "key").write_text(key)
    wanted = {"url": places.RECEIVER, "events": ["*"]}
    secret = Caller(key, Journal(journal)).insist("/webhook-endpoints", wanted, "endpoint")["secret"]
    booking = Program.of_ours("receiver", receiver, [str(journal)], folder)
    booking.environment = {**os.environ, "SECRET": secret}
    day.supervisor.add(booking)
    given = [str(journal), key, str(RATE), "day"]
    day.supervisor.add(Program.of_ours("trickle", "scripts.day.trickle", given, folder))
    reading = Reading(journal)

    def is_told() -> bool:
        reading.refresh()
        return any(reading.of(TOLD))

    day.supervisor.until(is_told, "the first event", FIRST_SECONDS)


def go_through(day: Day, rows: Sequence[Row], held: float | None) -> list[str]:
    """Print the table, line by line; what was missed. Raises: ServiceError."""
    journey = Rows(day, Reading(day.folder / "journal"), held)
    print(verdict.HEAD, flush=True)
    missed: list[str] = []
    for row in rows:
        if row.needs_disk and not day.has_own_disk:
            missed.append(f"{row.name}: not run, since nobody may mount a file system here; leave it out")
            continue
        seen = journey.measure(row)
        print(verdict.line(seen), flush=True)
        missed += verdict.misses(seen)
    try:
        print(day.manage("check_invariants").strip())
    except ServiceError as broken:
        missed.append(str(broken))
    return missed


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], choices=list(BY_NAME), help="some rows, by their names")
    parser.add_argument("--hold", type=float, help="break each for at least so many seconds, instead of its own")
    parser.add_argument("--impatient", action="store_true", help="have alerts fire at once, for a quick try")
    parser.add_argument("--folder", type=Path, default=ROOT / ".local" / "day")
    parser.add_argument("--receiver", default="scripts.day.receiver", help="another one, to see this program go red")
    return parser.parse_args()


def main() -> int:
    """Run the rows that are asked for; whether nothing was missed."""
    given, begun = arguments(), time.monotonic()
    rows = [row for row in ROWS if not given.only or row.name in given.only]
    signal.signal(signal.SIGTERM, terminate)
    signal.signal(signal.SIGHUP, terminate)
    try:
        with running(given.folder, is_patient=not given.impatient, receiver=given.receiver) as day:
            missed = go_through(day, rows, given.hold)
    except ServiceError as error:
        print(f"{error}\nWhat each program said stands in {given.folder}.", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Terminated):
        return INTERRUPTED
    for row in rows:
        if row.exempt:
            print(f"Not judged by what was said: {row.name} {row.what}: {row.exempt}.")
    print("\n".join(f"MISSED: {miss}" for miss in missed) or "Nothing was missed.")
    print(f"{time.monotonic() - begun:.0f} s.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
