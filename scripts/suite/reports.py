"""What a step's report counted: JUnit of pytest, or TAP of Node."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

MOST_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a test run counted. ``slowest`` are files with their seconds, those that took longest first."""

    tests: int
    left_out: int
    slowest: tuple[tuple[str, float], ...] = field(default=())


def read_report(report: Path | None) -> Report | None:
    """Read a step's report, if it has one and got as far as writing it."""
    if report is None or not report.exists() or not report.stat().st_size:
        return None
    return read_tap(report) if report.suffix == ".tap" else read_pytest(report)


def read_pytest(report: Path) -> Report:
    """Count the tests of a JUnit file."""
    root = ET.parse(report).getroot()  # noqa: S314  Why: pytest wrote it just now.
    totals = [(int(suite.get("tests", 0)), int(suite.get("skipped", 0))) for suite in root.iter("testsuite")]
    seconds: Counter[str] = Counter()
    for case in root.iter("testcase"):
        seconds[case.get("classname", "")] += float(case.get("time", 0))  # type: ignore[assignment]  # a sum of floats
    return Report(
        tests=sum(tests for tests, _ in totals),
        left_out=sum(skipped for _, skipped in totals),
        slowest=tuple((name, float(took)) for name, took in seconds.most_common(MOST_NAMED)),
    )


def read_tap(report: Path) -> Report:
    """Count the tests of a TAP file."""
    counts = dict(re.findall(r"^# (tests|skipped|todo|cancelled) (\d+)$", report.read_text(), re.MULTILINE))
    left_out = sum(int(counts.get(name, 0)) for name in ("skipped", "todo", "cancelled"))
    return Report(tests=int(counts.get("tests", 0)), left_out=left_out)
