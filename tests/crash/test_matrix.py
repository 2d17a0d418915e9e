"""The crash matrix as a pull request runs it: about sixty cells, always the same ones. ``make chaos`` runs them all."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from django.db import connection

from config.celery import app
from tests.crash.actions import Action
from tests.crash.matrix.cells import WORKERS, Cell, all_cells, some_cells
from tests.crash.matrix.world import SWEEPS

CELLS, NAIVE_CELLS = 60, 12
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


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Any:
    """What the matrix says, run in a process of its own, which can fork because no thread runs in it.

    Why from the tests' own database: to make every table anew takes longer than twenty cells.
    """
    report = tmp_path_factory.mktemp("matrix") / "report.json"
    choice = ("--cells", str(CELLS), "--naive-cells", str(NAIVE_CELLS), "--template", connection.settings_dict["NAME"])
    command = (sys.executable, "-m", "tests.crash.matrix", "--report", str(report), *choice)
    connection.close()
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert report.exists(), ended.stdout[-3000:] + ended.stderr[-3000:]
    return json.loads(report.read_text())


@pytest.mark.postgres
@pytest.mark.django_db
def test_no_cell_loses_or_doubles_anything(figures: Any) -> None:
    assert figures["red"] == {}
    assert figures["operations"] == sorted(OPERATIONS)
    assert figures["actions"] == sorted(Action)
    assert figures["workers"] == sorted(WORKERS)
    assert figures["reached"] >= figures["cells"] * 0.9
    assert figures["cells"] >= CELLS - len(OPERATIONS)
    passed = {name: "\n".join(points) for name, points in figures["points"].items()}
    assert [(name, part) for name, parts in MUST_PASS.items() for part in parts if part not in passed[name]] == []


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_naive_dispatcher_is_found_out_in_at_least_half_of_its_cells(figures: Any) -> None:
    red = figures["naive"]["red"]
    assert len(red) * 2 >= figures["naive"]["cells"]
    said = [problem for problems in red.values() for problem in problems]
    assert any(re.search(r"landed \d times on the chain$", problem) for problem in said), said


def test_its_workers_do_what_the_beat_calls() -> None:
    called = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert {name for name in called if name.endswith((".sweep_due", ".drain"))} == set(SWEEPS)


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
