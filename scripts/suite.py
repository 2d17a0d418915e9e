"""Runs the checks and the test sets, and ends in one summary.

Usage: python -m scripts.suite check|fast|test
Every step runs, even after a failure. A set without tests and a skipped test are failures.
Must not know how services are started: it reads DATABASE_URL and REDIS_URL like the service does.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
WORKERS = int(os.environ.get("PYTEST_WORKERS", "2"))
PATIENT_WORKERS = WORKERS + 1
"""For tests that wait for a browser or for a whole service more than they compute: a third less time on two cores."""
CHECKS_AT_ONCE = 2
SERVICES = ("DATABASE_URL", "REDIS_URL")


@dataclass(frozen=True, kw_only=True)
class Step:
    """One command and the report that it writes, if any: JUnit (.xml) or TAP (.tap)."""

    name: str
    command: tuple[str, ...]
    without: tuple[str, ...] = ()
    report: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a test run counted."""

    tests: int
    left_out: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a step ended."""

    step: Step
    seconds: float
    note: str = ""
    problems: tuple[str, ...] = field(default=())


def main() -> int:
    """Run the suite that the command line names and return the exit code."""
    suites = {"check": check, "fast": fast, "test": everything}
    if len(sys.argv) != 2 or sys.argv[1] not in suites:  # noqa: PLR2004  Why: program and suite.
        print(__doc__)
        return 2
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="causeway-suite-") as folder:
        outcomes = suites[sys.argv[1]](Path(folder))
    return summarise(outcomes, time.monotonic() - started)


def check(folder: Path) -> list[Outcome]:
    """Run what needs no service: format, lint, types, contracts, migrations, architecture."""
    steps = (*style_steps(), *structure_steps(), architecture_step(folder))
    return run_quietly(steps)


def fast(folder: Path) -> list[Outcome]:
    """Run the everyday part: style and, of the apps' own tests, what tells most in least time."""
    quick = (
        quick_step("quick: upper floors", ("payments", "checkout", "merchants"), folder),
        quick_step("quick: lower floors", ("core", "chains", "webhooks"), folder),
    )
    return run_quietly((*quick, *style_steps()))


def everything(folder: Path) -> list[Outcome]:
    """Run every check and every test set."""
    sets = (
        pytest_step("tests on PostgreSQL", "not embedded and not browser", folder, workers=WORKERS),
        pytest_step("embedded default", "embedded and not browser", folder, workers=PATIENT_WORKERS, without=SERVICES),
        pytest_step("browser journeys", "browser", folder, workers=PATIENT_WORKERS, without=SERVICES),
        frontend_step(folder),
    )
    checks = run_quietly((*style_steps(), *structure_steps()))
    return [*checks, *(run_aloud(step) for step in sets)]


def style_steps() -> tuple[Step, ...]:
    """Return format and lint."""
    return (
        Step(name="format", command=(PYTHON, "-m", "ruff", "format", "--check", ".")),
        Step(name="lint", command=(PYTHON, "-m", "ruff", "check", ".")),
    )


def structure_steps() -> tuple[Step, ...]:
    """Return types, import contracts and Django's own checks."""
    linter = str(Path(PYTHON).with_name("lint-imports"))
    return (
        Step(name="types", command=(PYTHON, "-m", "mypy")),
        Step(name="import contracts", command=(linter,)),
        Step(name="django checks", command=(PYTHON, "manage.py", "check", "--fail-level", "WARNING")),
    )


def architecture_step(folder: Path) -> Step:
    """Return the tests of the house rules alone, openapi.yaml among them."""
    report = folder / "architecture.xml"
    command = (PYTHON, "-m", "pytest", "-q", "tests/architecture", f"--junitxml={report}")
    return Step(name="architecture", command=command, without=SERVICES, report=report)


def quick_step(name: str, apps: tuple[str, ...], folder: Path) -> Step:
    """Return the quick tests of some apps, in one process: starting workers takes longer than the tests."""
    report = folder / f"{apps[0]}.xml"
    unused = [part for plugin in ("schemathesis", "xdist", "faker", "anyio") for part in ("-p", f"no:{plugin}")]
    command = (PYTHON, "-m", "pytest", "-q", *(f"tests/{app}" for app in apps), "--quick", *unused)
    return Step(name=name, command=(*command, f"--junitxml={report}"), without=SERVICES, report=report)


def pytest_step(name: str, marked: str, folder: Path, *, workers: int, without: tuple[str, ...] = ()) -> Step:
    """Return the tests that carry (or do not carry) these marks."""
    report = folder / f"{name.replace(' ', '-')}.xml"
    selection = ("-m", marked, "-n", str(workers), "--durations=5", f"--junitxml={report}", *places(marked))
    return Step(name=name, command=(PYTHON, "-m", "pytest", "-q", *selection), without=without, report=report)


def places(marked: str) -> tuple[str, ...]:
    """Return the files that hold the tests with the mark that these words begin with, or a folder; none means all.

    Why: every worker collects for itself, and eleven thousand tests take half a minute of its processor.
    """
    mark = marked.partition(" ")[0]
    if mark == "not":
        return ()
    files = (*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("tests/**/conftest.py"))
    named = [path for path in files if f"mark.{mark}" in path.read_text()]
    found = {path.parent if path.name == "conftest.py" else path for path in named}
    return tuple(sorted(str(path.relative_to(ROOT)) for path in found))


def frontend_step(folder: Path) -> Step:
    """Return the tests of the checkout page's modules, run by Node itself.

    Why: Node 22 no longer accepts a folder, so the files are named one by one.
    """
    files = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/frontend/**/*.test.*js"))
    report = folder / "frontend.tap"
    to_screen = ("--test-reporter=spec", "--test-reporter-destination=stdout")
    to_file = ("--test-reporter=tap", f"--test-reporter-destination={report}")
    command = ("node", "--test", *to_screen, *to_file, *(files or ["tests/frontend"]))
    return Step(name="frontend", command=command, without=SERVICES, report=report)


def read_pytest(report: Path) -> Report:
    """Count the tests of a JUnit file."""
    suites = ET.parse(report).getroot().iter("testsuite")  # noqa: S314  Why: pytest wrote it just now.
    totals = [(int(suite.get("tests", 0)), int(suite.get("skipped", 0))) for suite in suites]
    return Report(tests=sum(tests for tests, _ in totals), left_out=sum(skipped for _, skipped in totals))


def read_tap(report: Path) -> Report:
    """Count the tests of a TAP file."""
    counts = dict(re.findall(r"^# (tests|skipped|todo|cancelled) (\d+)$", report.read_text(), re.MULTILINE))
    left_out = sum(int(counts.get(name, 0)) for name in ("skipped", "todo", "cancelled"))
    return Report(tests=int(counts.get("tests", 0)), left_out=left_out)


def run_quietly(steps: Iterable[Step]) -> list[Outcome]:
    """Run steps beside each other and show the output of those that fail."""
    with ThreadPoolExecutor(CHECKS_AT_ONCE) as pool:
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
        ended = subprocess.run(
            step.command, env=environment(step), cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    except FileNotFoundError:
        return Outcome(step=step, seconds=0, problems=(f"{step.command[0]} is not installed",))
    return judge(step, ended.returncode, time.monotonic() - started)


def environment(step: Step) -> dict[str, str]:
    """Return this environment with the test settings and without what the step must not see.

    Why bytecode is kept: compiling every module again is half the start of a test process.
    """
    without = {*step.without, "PYTHONDONTWRITEBYTECODE"}
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return {**kept, "DJANGO_SETTINGS_MODULE": "config.settings_test"}


def judge(step: Step, code: int, seconds: float) -> Outcome:
    """Turn an exit code and a report into an outcome."""
    problems = [f"exit code {code}"] if code else []
    report = read_report(step.report)
    if step.report and (report is None or report.tests == 0):
        problems.append("no test ran")
    if report and report.left_out:
        problems.append(f"{report.left_out} tests were skipped")
    note = f"{report.tests} tests" if report else ""
    return Outcome(step=step, seconds=seconds, note=note, problems=tuple(problems))


def read_report(report: Path | None) -> Report | None:
    """Read a step's report, if it has one and got as far as writing it."""
    if report is None or not report.exists() or not report.stat().st_size:
        return None
    return read_tap(report) if report.suffix == ".tap" else read_pytest(report)


def summarise(outcomes: list[Outcome], seconds: float) -> int:
    """Print one line for each step and the verdict; return the exit code."""
    print("\nSummary")
    for outcome in outcomes:
        verdict = "; ".join(outcome.problems) or "ok"
        print(f"  {outcome.step.name:<24}{outcome.seconds:>8.1f} s   {outcome.note:<14}{verdict}")
    failed = [outcome.step.name for outcome in outcomes if outcome.problems]
    if failed:
        print(f"FAILED after {seconds:.0f} s: {', '.join(failed)}")
        return 1
    print(f"PASSED: {len(outcomes)} steps in {seconds:.0f} s, nothing skipped.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Interrupted: not everything ran.")
