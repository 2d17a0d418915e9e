"""A pytest plugin: a test that does not run is a failure, in no set too, and races need the real database.

Why: a skipped test looks green for ever. What cannot run here must say what it needs.
"""

from collections.abc import Generator

import pytest
from django.db import connection

from scripts.suite.parts import places
from scripts.suite.steps import ROOT
from tests.architecture.sizes import AIM_LINES, modules_longer_than

SETS = ("postgres", "embedded", "browser")
"""Marks whose tests scripts/suite/parts.py looks for by name."""


def refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip or an expected failure into a failure that says why."""
    if report.outcome != "skipped" and not hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", "")
    report.outcome = "failed"
    report.longrepr = f"No test may be skipped or expected to fail. {reason}".strip()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse(report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a mark that is given where the set of that mark does not look: the test would be in no set."""
    for mark in SETS:
        marked = [item for item in items if item.get_closest_marker(mark) and ROOT / "tests" in item.path.parents]
        known = [ROOT / place for place in places(mark)] if marked else []
        lost = [item.nodeid for item in marked if not {item.path, *item.path.parents} & set(known)]
        if lost:
            raise pytest.UsageError(f"Write @pytest.mark.{mark} in the test's own file: {', '.join(lost)}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("postgres") and connection.vendor != "postgresql":
        pytest.fail(
            "This test needs PostgreSQL: python -m scripts.with_services -- python -m pytest ...", pytrace=False
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the modules above the aim, when the house rules were among the tests."""
    ended = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    if not any(report.nodeid.startswith("tests/architecture/test_sizes.py") for report in ended):
        return
    long = modules_longer_than(AIM_LINES)
    if long:
        terminalreporter.write_line(f"Above the aim of {AIM_LINES} lines: {', '.join(long)}")
