"""What tests measured for a bar: ``record_property`` in a test is a figure here.

Tests that the same run of the suite has ended, and reported, are not run a second time.
"""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sdks.generator.read import ROOT

_reports: list[Path] = []
"""Where the run of the suite that measures has its reports."""


@dataclass(frozen=True)
class Proof:
    """One test: whether it passed, and the figures that it recorded."""

    name: str
    passed: bool
    figures: dict[str, int] = field(default_factory=dict)


def believe(reports: Path) -> None:
    """Take what is reported in this folder, which must be of whole files of this code."""
    _reports[:] = [reports]


def proofs(*places: str) -> list[Proof]:
    """How each of these tests ended, each a file or a test in it; they are run unless all of these are reported.

    Raises: RuntimeError where none of them ran.
    """
    reported = [case for folder in _reports for report in sorted(folder.glob("*.xml")) for case in _cases(report)]
    known = [[case for case in reported if _is_at(case, place)] for place in places]
    if all(known):
        return [_proof(case) for found in known for case in found]
    return [_proof(case) for case in _run(places)]


def _run(places: Iterable[str]) -> list[ET.Element]:
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.xml"
        told = f"--junit-xml={report}"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", told, *places]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        cases = _cases(report)
    if not cases:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return cases


def _cases(report: Path) -> list[ET.Element]:
    """Of a report that is written: one that is still empty has none."""
    is_written = report.exists() and report.stat().st_size
    return list(ET.parse(report).iter("testcase")) if is_written else []  # noqa: S314 - our own report


def _is_at(case: ET.Element, place: str) -> bool:
    file, _, name = place.partition("::")
    # A worker of several has the test's group behind its name.
    told = str(case.get("name")).partition("@")[0]
    named = {"", told, told.partition("[")[0]}
    return case.get("classname") == file.removesuffix(".py").replace("/", ".") and name in named


def _proof(case: ET.Element) -> Proof:
    passed = case.find("failure") is None and case.find("error") is None and case.find("skipped") is None
    measured = {str(one.get("name")): int(str(one.get("value"))) for one in case.iter("property")}
    return Proof(str(case.get("name")), passed, measured)


def total(found: list[Proof], name: str) -> int:
    """The sum of a figure over tests."""
    return sum(one.figures.get(name, 0) for one in found)


def failed(found: list[Proof]) -> int:
    """How many did not pass."""
    return sum(not one.passed for one in found)
