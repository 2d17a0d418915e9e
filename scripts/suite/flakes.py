"""Runs the everyday tier again and again in random order on a busy machine: what differs between two runs is a fault.

Usage: python -m scripts.suite flakes [RUNS]
"""

import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from scripts.suite.parts import everyday
from scripts.suite.steps import PYTHON, Step, run_captured

RUNS, LOAD = 20, 4
"""How often, and how many programs beside it keep a processor busy."""
PASSED = "passed"


def flakes(runs: int, folder: Path) -> int:
    """Run the tests so often, each time in another order, and name every test that did not always pass."""
    ends: dict[str, Counter[str]] = {}
    with busy():
        for number in range(1, runs + 1):
            started = time.monotonic()
            for step in shuffled(folder, number):
                run_captured(step)
                for test, end in ends_of(step):
                    ends.setdefault(test, Counter())[end] += 1
            print(f"run {number} of {runs}: {time.monotonic() - started:.0f} s", flush=True)
    different = {test: seen for test, seen in sorted(ends.items()) if seen != Counter({PASSED: runs})}
    for test, seen in different.items():
        print(f"  {test}: {', '.join(f'{count} {end}' for end, count in seen.items())} of {runs}")
    print(f"{len(ends)} tests in {runs} runs, {len(different)} of them not always passed.")
    return 1 if different or not ends else 0


def shuffled(folder: Path, seed: int) -> Iterator[Step]:
    """The steps of the everyday tier that run tests of pytest, in the order of a seed: modules, and tests in them."""
    order = ("--random-order-bucket=module", f"--random-order-seed={seed}")
    for steps_of in everyday().values():
        for step in steps_of(folder):
            if "pytest" in step.command and step.report:
                step.report.unlink(missing_ok=True)
                yield replace(step, command=(*step.command, *order))


def ends_of(step: Step) -> Iterator[tuple[str, str]]:
    """Each test of a step's report with how it ended. Raises: ParseError for a report that was not finished."""
    if step.report is None or not step.report.exists():
        return
    for case in ET.parse(step.report).getroot().iter("testcase"):  # noqa: S314  Why: pytest wrote it just now.
        bad = [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
        yield f"{case.get('classname')}::{case.get('name')}", bad[0] if bad else PASSED


@contextmanager
def busy() -> Iterator[None]:
    """Keep the machine busy meanwhile."""
    with ExitStack() as stack:
        for _ in range(LOAD):
            process = subprocess.Popen([PYTHON, "-c", "while True: pass"], stdin=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def runs_of(words: Sequence[str]) -> int:
    """How many runs the command line asks for."""
    if words and not words[0].isdigit():
        sys.exit(__doc__)
    return int(words[0]) if words else RUNS
