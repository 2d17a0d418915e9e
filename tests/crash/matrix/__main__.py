"""Runs the crash matrix and prints its table. Needs DATABASE_URL and REDIS_URL: ``make chaos``.

Usage: python -m tests.crash.matrix [--cells N] [--naive-cells N] [--real-cells N] [--only OPERATION ...]
    [--template DATABASE] [--report FILE]
"""

import argparse
import gc
import json
import logging
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from tests.journeys.recipe import listening
from tests.machine import stopwatch
from tests.templates import on_server

if TYPE_CHECKING:
    from tests.crash.matrix.trial import Trial, Verdict

NAIVE_TICKS = 250
"""What is lost stays lost: the naive dispatcher is given about five seconds."""
SECONDS = stopwatch()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, help="only about so many cells, always the same ones")
    parser.add_argument(
        "--naive-cells", type=int, help="as many with the naive dispatcher; all of its cells if left out"
    )
    parser.add_argument("--real-cells", type=int, default=0, help="about so many over real chains, both together")
    parser.add_argument("--only", nargs="+", default=(), help="these operations instead of all")
    parser.add_argument("--template", help="a database of the same server that has every table already")
    parser.add_argument("--report", type=Path, help="write the figures there, as JSON")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="causeway-matrix-") as name:
        folder = Path(name)
        with _own_database(os.environ["DATABASE_URL"], f"matrix_{os.getpid()}", wanted.template) as url:
            _set_up(folder, url, is_made=wanted.template is not None)
            return _run(folder, wanted)


@contextmanager
def _own_database(url: str, name: str, template: str | None) -> Iterator[str]:
    server = on_server(url, "postgres")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template or 'template1'}")
    try:
        yield on_server(url, name)
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _set_up(folder: Path, database_url: str, *, is_made: bool) -> None:
    """Load everything once, so that each process of a cell costs a fork.

    Why nothing is logged: every cell breaks something, and all of it would be told. Why the collector is frozen: in
    each child it would touch, and so copy, everything that was loaded.
    """
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.crash.matrix.settings",
        "DATABASE_URL": database_url,
        "CRASH_FOLDER": str(folder),
        "LOCAL_DIR": str(folder),
        "DEMO_SHOP": "false",
        "CRASH_DELAY_SECONDS": "0.7",
    }
    import django  # noqa: PLC0415 - the environment above must be set first
    from django.core.management import call_command  # noqa: PLC0415 - as above

    django.setup()
    if not is_made:
        call_command("migrate", "--noinput", "--verbosity", "0")
    from config.celery import app  # noqa: PLC0415 - as above
    from tokens.services import load_bundled_tokens  # noqa: PLC0415 - as above

    app.set_default()
    app.loader.import_default_modules()
    load_bundled_tokens()
    logging.disable()
    gc.collect()
    gc.freeze()


def _run(folder: Path, wanted: argparse.Namespace) -> int:
    from tests.crash.matrix.naive import NAIVE_OPERATIONS, replace_sweeps  # noqa: PLC0415 - Django must be set up
    from tests.crash.matrix.operations import OPERATIONS  # noqa: PLC0415 - as above
    from tests.crash.matrix.processes import Crew  # noqa: PLC0415 - as above
    from tests.crash.matrix.receiver import Book  # noqa: PLC0415 - as above
    from tests.crash.matrix.trial import Trial  # noqa: PLC0415 - as above
    from tests.crash.matrix.world import CLOCK  # noqa: PLC0415 - as above

    print(f"{SECONDS():.1f} s until everything was loaded", flush=True)
    CLOCK.install()
    book = Book(folder, CLOCK)
    server = listening(book)
    staff = Crew()
    staff.start(server.serve_forever, folder / "receiver.log")
    trial = Trial(book.url, book, folder / "log")
    try:
        verdicts, points = _judged(trial, wanted.only or [one.name for one in OPERATIONS], wanted.cells)
        real = _judged_really(trial, folder, wanted.real_cells) if wanted.real_cells else []
        trial.patience = NAIVE_TICKS
        replace_sweeps()
        print("\nWith the naive dispatcher in the place of the service's own:")
        naive, _ = _judged(trial, NAIVE_OPERATIONS, wanted.naive_cells)
    finally:
        staff.kill()
    if wanted.report:
        figures = {"points": points, **_figures(verdicts), "naive": _figures(naive), "real": _figures(real)}
        wanted.report.write_text(json.dumps(figures))
    red, found_out = (sum(not one.is_green for one in some) for some in ([*verdicts, *real], naive))
    print(f"\nred: {red} of {len(verdicts) + len(real)}; with the naive dispatcher: {found_out} of {len(naive)}")
    return int(red > 0 or found_out * 2 < len(naive))


def _judged_really(trial: "Trial", folder: Path, wanted: int) -> "list[Verdict]":
    """About so many cells over an EVM node and the Solana runtime.

    Why the libraries are loaded first: each forked process would load them again.
    """
    import eth_abi  # noqa: F401, PLC0415 - as said
    import eth_account  # noqa: F401, PLC0415 - as said
    import web3  # noqa: F401, PLC0415 - as said

    from tests.crash.matrix.processes import Crew  # noqa: PLC0415 - Django must be set up
    from tests.crash.matrix.real import nets, operations_on  # noqa: PLC0415 - as above
    from tests.crash.matrix.trial import BY_NAME  # noqa: PLC0415 - as above

    print("\nOver real chains:")
    crew = Crew()
    try:
        with nets(crew, folder / "nodes.log") as made:
            operations = [operation for net in made for operation in operations_on(net)]
            BY_NAME.update({operation.name: operation for operation in operations})
            return _judged(trial, [operation.name for operation in operations], wanted)[0]
    finally:
        crew.kill()


def _judged(
    trial: "Trial", operations: Sequence[str], wanted: int | None
) -> "tuple[list[Verdict], dict[str, list[str]]]":
    from tests.crash.matrix.cells import all_cells, some_cells  # noqa: PLC0415 - Django must be set up
    from tests.crash.matrix.trial import BY_NAME  # noqa: PLC0415 - as above

    if wanted == 0:
        return [], {}
    trial.lay_ground(BY_NAME[name] for name in operations)
    points = {name: trial.points_of(BY_NAME[name]) for name in operations}
    print(f"{SECONDS():.1f} s until every point was found", flush=True)
    verdicts, cells = [], all_cells(points) if wanted is None else some_cells(points, wanted)
    if wanted is not None:
        trial.lay_ground(BY_NAME[cell.operation] for cell in cells)
    for cell in cells:
        verdict = trial.judge(cell)
        verdicts.append(verdict)
        mark = "ok " if verdict.is_green else "RED"
        note = "" if verdict.reached else "  (nobody got there)"
        print(f"{mark} {verdict.seconds:5.1f} s  {cell}{note}", flush=True)
        for problem in verdict.problems:
            print(f"         {problem}", flush=True)
    _show(verdicts)
    return verdicts, points


def _show(verdicts: "list[Verdict]") -> None:
    by_operation: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_operation[verdict.cell.operation].append(verdict)
    print(f"\n{'operation':<20}{'cells':>7}{'reached':>9}{'red':>5}{'seconds':>9}")
    for operation, mine in [*by_operation.items(), ("all", verdicts)]:
        reached, red = sum(one.reached for one in mine), sum(not one.is_green for one in mine)
        print(f"{operation:<20}{len(mine):>7}{reached:>9}{red:>5}{sum(one.seconds for one in mine):>9.1f}")


def _figures(verdicts: "list[Verdict]") -> dict[str, object]:
    return {
        "cells": len(verdicts),
        "reached": sum(one.reached for one in verdicts),
        "red": {str(one.cell): list(one.problems) for one in verdicts if not one.is_green},
        "operations": sorted({one.cell.operation for one in verdicts}),
        "actions": sorted({one.cell.action for one in verdicts}),
        "workers": sorted({one.cell.workers for one in verdicts}),
        "seconds": round(sum(one.seconds for one in verdicts), 1),
    }


if __name__ == "__main__":
    code = main()
    print(f"{SECONDS():.0f} s in all")
    sys.exit(code)
