"""One command of the suite: how it is run, and how it ended. Must not know which commands there are."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from scripts.suite.reports import Report, read_report

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = sys.executable
AT_ONCE = 2
LIMIT_SECONDS = 60 * 60
"""What hangs ends here, and what it said until then is kept."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One command, and the report that it writes, if any: JUnit (.xml) or TAP (.tap)."""

    name: str
    command: tuple[str, ...]
    without: tuple[str, ...] = ()
    report: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a step ended."""

    step: Step
    seconds: float
    report: Report | None = None
    problems: tuple[str, ...] = field(default=())


def run_quietly(steps: Iterable[Step]) -> list[Outcome]:
    """Run steps beside each other and show the output of those that fail."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(run_captured, steps))


def run_captured(step: Step) -> Outcome:
    """Run one step and print its output only when it failed."""
    with tempfile.TemporaryFile("w+") as output:
        outcome = run(step, output)
        output.seek(0)
        shown = f"\n{output.read()}" if outcome.problems else ""
    print(f"{step.name}: {'failed' if outcome.problems else 'ok'} ({outcome.seconds:.1f} s){shown}", flush=True)
    return outcome


def run_aloud(step: Step) -> Outcome:
    """Run one step with its output on the screen."""
    print(f"\n=== {step.name} ===", flush=True)
    return run(step, None)


def run(step: Step, output: IO[str] | None) -> Outcome:
    """Run one step and judge how it ended."""
    started = time.monotonic()
    try:
        code = _code(step, output)
    except FileNotFoundError:
        return Outcome(step=step, seconds=0, problems=(f"{step.command[0]} is not installed",))
    return judge(step, code, time.monotonic() - started)


def _code(step: Step, output: IO[str] | None) -> int | None:
    """The exit code; None where it had to be ended. Why asked first: a test run stops its services then."""
    process = subprocess.Popen(
        step.command, env=environment(step), cwd=ROOT, stdout=output, stderr=subprocess.STDOUT if output else None
    )
    try:
        return process.wait(LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return None


def environment(step: Step) -> dict[str, str]:
    """Return this environment with the test settings and without what the step must not see.

    Why bytecode is kept: compiling every module again is half the start of a test process.
    """
    without = {*step.without, "PYTHONDONTWRITEBYTECODE"}
    kept = {name: value for name, value in os.environ.items() if name not in without}
    if "DATABASE_URL" in kept:
        # After it the workers of this step name their databases: two steps run at once.
        parts = urlsplit(kept["DATABASE_URL"])
        path = f"{parts.path}_{step.name.replace(' ', '_').lower()}"
        kept["DATABASE_URL"] = parts._replace(path=path).geturl()
    return {**kept, "DJANGO_SETTINGS_MODULE": "config.settings_test"}


def judge(step: Step, code: int | None, seconds: float) -> Outcome:
    """Turn an exit code and a report into an outcome: a set without tests and a skipped test are problems."""
    problems = [f"ended after {seconds:.0f} s, its limit" if code is None else f"exit code {code}"] if code != 0 else []
    report = read_report(step.report)
    if step.report and (report is None or report.tests == 0):
        problems.append("no test ran")
    if report and report.left_out:
        problems.append(f"{report.left_out} tests were skipped")
    return Outcome(step=step, seconds=seconds, report=report, problems=tuple(problems))


def summarise(outcomes: list[Outcome], seconds: float) -> int:
    """Print one line for each step, the slowest files and the verdict; return the exit code."""
    print("\nSummary")
    for outcome in outcomes:
        note = f"{outcome.report.tests} tests" if outcome.report else ""
        print(f"  {outcome.step.name:<28}{outcome.seconds:>8.1f} s   {note:<14}{'; '.join(outcome.problems) or 'ok'}")
    slowest = sorted(
        (slow for outcome in outcomes if outcome.report for slow in outcome.report.slowest),
        key=lambda slow: slow[1],
        reverse=True,
    )
    if slowest:
        print("  slowest: " + ", ".join(f"{name} {took:.0f} s" for name, took in slowest[:5]))
    failed = [outcome.step.name for outcome in outcomes if outcome.problems]
    if failed:
        print(f"FAILED after {seconds:.0f} s: {', '.join(failed)}")
        return 1
    print(f"PASSED: {len(outcomes)} steps in {seconds:.0f} s, nothing skipped.")
    return 0
