"""The crash matrix: six cells of money that moves, and sixty of all operations. ``make chaos`` runs every cell."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from config.celery import app
from tests.crash.actions import Action
from tests.crash.matrix.cells import WORKERS, Cell, all_cells, some_cells
from tests.crash.matrix.world import SWEEPS

FEW, MANY, NAIVE_CELLS = 6, 60, 12
MONEY_MOVES = ("credit and settle", "send payout", "send refund")
OPERATIONS = (
    *("cancel intent", "create intent", "create payout", "create refund", "credit and settle"),
    *("deliver webhook", "replay payout", "send payout", "send refund"),
)
MUST_PASS = {
    "create intent": ("after insert_together (payment_intent.created)",),
    "credit and settle": ("after record_sightings", "payment_intent.settled"),
    "deliver webhook": ("before sending a webhook", "after record (delivery, deliveryattempt)"),
    "create refund": ("refund.created", "before sending a transfer"),
    "send refund": ("before sending a transfer", "after sending a transfer", "refund.paid"),
    "create payout": ("payout.created", "before sending a transfer"),
    "send payout": ("before sending a transfer", "after sending a transfer", "payout.paid"),
    "replay payout": ("before sending a transfer", "after sending a transfer", "payout.paid"),
}
"""Parts of points without which the list of points is not what it was: then these tests must be looked at."""


def figures_of(report: Path, cells: int, naive_cells: int, only: Sequence[str] = ()) -> Any:
    """What the matrix says, run in a process of its own, which can fork because no thread runs in it.

    Why from the tests' own database: to make every table anew takes longer than twenty cells.
    """
    command = [sys.executable, "-m", "tests.crash.matrix", "--report", str(report), "--cells", str(cells)]
    command += ["--naive-cells", str(naive_cells), "--template", connection.settings_dict["NAME"]]
    command += ["--only", *only] if only else []
    connection.close()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert report.exists(), ended.stdout[-3000:] + ended.stderr[-3000:]
    return json.loads(report.read_text())


def assert_whole(figures: Any, cells: int, operations: Sequence[str] = OPERATIONS) -> None:
    assert figures["red"] == {}
    assert figures["operations"] == sorted(operations)
    assert figures["workers"] == sorted(WORKERS)
    assert figures["cells"] - figures["reached"] <= max(1, figures["cells"] // 10)
    assert figures["cells"] >= cells - len(operations)
    passed = {name: "\n".join(points) for name, points in figures["points"].items()}
    wanted = [(name, part) for name in set(MUST_PASS) & set(operations) for part in MUST_PASS[name]]
    assert [(name, part) for name, part in wanted if part not in passed[name]] == []


@pytest.mark.postgres
@pytest.mark.django_db
def test_no_cell_of_a_few_loses_or_doubles_anything(tmp_path: Path) -> None:
    """What is made, cancelled and told is broken with all else among the many."""
    assert_whole(figures_of(tmp_path / "report.json", FEW, 0, MONEY_MOVES), FEW, MONEY_MOVES)


@pytest.mark.postgres
@pytest.mark.exhaustive
@pytest.mark.django_db
def test_no_cell_loses_or_doubles_anything_and_a_naive_dispatcher_is_found_out(tmp_path: Path) -> None:
    figures = figures_of(tmp_path / "report.json", MANY, NAIVE_CELLS)
    assert_whole(figures, MANY)
    assert figures["actions"] == sorted(Action)
    red = figures["naive"]["red"]
    assert len(red) * 2 >= figures["naive"]["cells"]
    said = [problem for problems in red.values() for problem in problems]
    assert any(re.search(r"landed \d times on the chain$", problem) for problem in said), said


def test_its_workers_do_what_the_beat_calls() -> None:
    called = {entry["task"] for entry in app.conf.beat_schedule.values()}
    replays = {"theatre.sweep_due"}  # which are taken back, and move neither
    assert {name for name in called if name.endswith((".sweep_due", ".drain"))} == {*SWEEPS, *replays}


POINTS = {f"operation {number}": [f"before {place}" for place in range(7)] for number in range(9)}


def test_the_whole_matrix_is_every_point_in_every_way_by_every_crew() -> None:
    assert len(set(all_cells(POINTS))) == 9 * 7 * len(Action) * len(WORKERS)


def test_a_choice_is_the_same_every_time_and_leaves_nothing_out() -> None:
    chosen = some_cells(POINTS, MANY)
    assert chosen == some_cells(POINTS, MANY)
    assert len(chosen) == MANY
    assert {cell.operation for cell in chosen} == set(POINTS)
    for part in ("action", "workers"):
        by_operation = {name: {getattr(cell, part) for cell in chosen if cell.operation == name} for name in POINTS}
        assert set(map(len, by_operation.values())) == {len(Action) if part == "action" else len(WORKERS)}
    assert str(chosen[0]) == str(Cell(operation="operation 0", point="before 0", action=Action.KILL, workers=1))
