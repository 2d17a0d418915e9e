"""The operator's day itself: one row of it is whole, and red where the receiver books twice and forgets."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.programs import ROOT
from tests.machine import FIRST_PORT, PORTS_A_PROCESS, own_port

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]

SPAN = 98
"""It takes some ports up to so many above its first one."""


def first_port() -> int:
    """One above which that many are this process's own."""
    while ((port := own_port()) - FIRST_PORT) % PORTS_A_PROCESS + SPAN >= PORTS_A_PROCESS:
        pass
    return port


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that PostgreSQL's own user may reach, as pytest's are not."""
    with tempfile.TemporaryDirectory(prefix="causeway-day-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def run_day(folder: Path, row: str, *more: str) -> "subprocess.CompletedProcess[str]":
    """One row, with alerts that fire at once."""
    command = (sys.executable, "-m", "scripts.day", "--only", row, "--hold", "5", "--impatient")
    return subprocess.run(
        [*command, "--folder", str(folder), *more], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "CLUSTER_PORTS": str(first_port())},
    )  # fmt: skip


def test_a_row_with_an_outage_is_named_and_whole(folder: Path) -> None:
    done = run_day(folder, "A")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing was missed." in done.stdout
    assert re.search(r"^\| A .*`worker` \d+.*`CausewayProgramDead` \d+", done.stdout, re.MULTILINE)


def test_a_receiver_that_books_twice_and_forgets_turns_it_red(folder: Path) -> None:
    done = run_day(folder, "0", "--receiver", "tests.journeys.wrong_book")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"^MISSED: 0: \d+ events that were booked twice$", done.stdout, re.MULTILINE)
    assert re.search(r"^MISSED: 0: \d+ events that were never booked$", done.stdout, re.MULTILINE)
