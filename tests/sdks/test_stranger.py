"""A stranger's first minute: a clone that serves, ``listen`` beside it, a payment, and its event verified there."""

import json
import math
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.architecture.source import ROOT
from tests.guides.samples import TERMINAL, blocks_of, of, run_in_terminal
from tests.journeys.http_caller import soon
from tests.journeys.programs import Embedded
from tests.machine import own_port, stopwatch

pytestmark = pytest.mark.embedded
LISTEN = "scripts/causeway listen"


@pytest.fixture
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """Not there yet: a clone that was never started."""
    service = Embedded(folder=tmp_path_factory.mktemp("service"), port=own_port())
    try:
        yield service
    finally:
        service.program.stop()


def until(lines: IO[str], event_type: str) -> dict[str, object]:
    """The first event of this type that is printed. Raises: AssertionError where the program ends before."""
    for line in lines:
        if line.startswith("{") and (event := json.loads(line))["type"] == event_type:
            found: dict[str, object] = event
            return found
    raise AssertionError(f"ended without {event_type}")


def test_a_payment_is_seen_verified_where_listen_runs(
    service: Embedded, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert LISTEN in readme
    elapsed = stopwatch()
    service.program.start()
    soon(lambda: "Causeway is running" in service.program.printed(), "manage.py up")
    (tmp_path / ".local").mkdir()
    shutil.copy(service.folder / "demo.json", tmp_path / ".local" / "demo.json")
    merchant = service.merchant()
    named = {"CAUSEWAY_BASE_URL": merchant.base_url, "CAUSEWAY_API_KEY": merchant.key}
    command = subprocess.Popen(
        LISTEN.split(),
        cwd=ROOT,
        env={**os.environ, **named, "XDG_CONFIG_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert command.stdout is not None
        assert command.stderr is not None
        assert command.stderr.readline().startswith("Listening to ")
        ran = run_in_terminal(of(blocks_of(readme), TERMINAL), merchant, tmp_path)
        assert ran.code == 0, ran.said[-2000:]
        settled = until(command.stdout, "payment_intent.settled")
        assert settled["mode"] == "test"
        record_property("seconds", math.ceil(elapsed()))
    finally:
        command.terminate()
        command.communicate()
