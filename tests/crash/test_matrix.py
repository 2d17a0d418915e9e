"""The crash matrix as a pull request runs it: about sixty cells, always the same ones. ``make chaos`` runs them all."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.crash.actions import Action
from tests.crash.matrix.cells import WORKERS, Cell, all_cells, some_cells

CELLS, NAIVE_CELLS = 60, 12
MOST_SECONDS = 180
OPERATIONS = (
    *("cancel intent", "create intent", "create payout", "create refund", "credit and settle"),
    *("deliver webhook", "replay payout", "send payout", "send refund"),
)
MUST_PASS = {
    "create intent": {"after insert_together (payment_intent.created)"},
    "credit and settle": {"after record_sightings (payment_intent.settled)"},
    "deliver webhook": {"before sending a webhook", "after record (delivery, deliveryattempt)"},
    "create refund": {"before sending a transfer"},
    "send refund": {"before sending a transfer", "after sending a transfer"},
    "send payout": {"before sending a transfer", "after sending a transfer"},
    "replay payout": {"before sending a transfer", "after sending a transfer"},
}
"""Points without which the list of points is not what it was: then these tests must be looked at."""


@pytest.mark.postgres
def test_no_cell_loses_or_doubles_anything(tmp_path: Path) -> None:
    figures = run_matrix(tmp_path, "--cells", str(CELLS))
    assert figures["red"] == {}
    assert figures["operations"] == sorted(OPERATIONS)
    assert figures["actions"] == sorted(Action)
    assert figures["workers"] == sorted(WORKERS)
    assert figures["reached"] >= figures["cells"] * 0.9
    assert figures["cells"] >= CELLS - len(OPERATIONS)
    missing = {name: must - set(figures["points"][name]) for name, must in MUST_PASS.items()}
    assert {name: points for name, points in missing.items() if points} == {}


@pytest.mark.postgres
def test_a_naive_dispatcher_is_found_out_in_at_least_half_of_its_cells(tmp_path: Path) -> None:
    figures = run_matrix(tmp_path, "--naive", "--cells", str(NAIVE_CELLS))
    assert len(figures["red"]) * 2 >= figures["cells"]
    said = [problem for problems in figures["red"].values() for problem in problems]
    assert any(problem.endswith("landed 2 times on the chain") for problem in said), said


def run_matrix(folder: Path, *arguments: str) -> Any:
    """Run the matrix in a process of its own, which can fork because no thread runs in it; its figures."""
    report = folder / "report.json"
    command = (sys.executable, "-m", "tests.crash.matrix", "--report", str(report), *arguments)
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert report.exists(), ended.stdout[-3000:] + ended.stderr[-3000:]
    return json.loads(report.read_text())


POINTS = {f"operation {number}": [f"before {place}" for place in range(7)] for number in range(9)}


def test_the_whole_matrix_is_every_point_in_every_way_by_every_crew() -> None:
    assert len(set(all_cells(POINTS))) == 9 * 7 * len(Action) * len(WORKERS)


def test_a_choice_is_the_same_every_time_and_leaves_nothing_out() -> None:
    chosen = some_cells(POINTS, CELLS)
    assert chosen == some_cells(POINTS, CELLS)
    assert len(chosen) == CELLS
    assert {cell.operation for cell in chosen} == set(POINTS)
    for part in ("action", "workers"):
        by_operation = {name: {getattr(cell, part) for cell in chosen if cell.operation == name} for name in POINTS}
        assert set(map(len, by_operation.values())) == {len(Action) if part == "action" else len(WORKERS)}
    assert str(chosen[0]) == str(Cell(operation="operation 0", point="before 0", action=Action.KILL, workers=1))
