"""Runs tests for a bar, and reads what they measured: ``record_property`` in a test is a figure here."""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

from sdks.generator.read import ROOT


@dataclass(frozen=True)
class Proof:
    """One test: whether it passed, and the figures that it recorded."""

    name: str
    passed: bool
    figures: dict[str, int] = field(default_factory=dict)


def proofs(*places: str) -> list[Proof]:
    """Run these tests, each a file or a test in it, and say how each ended.

    Raises: RuntimeError where none of them ran.
    """
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.xml"
        told = f"--junit-xml={report}"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", told, *places]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        cases = list(ET.parse(report).iter("testcase")) if report.exists() else []  # noqa: S314 - our own report
    if not cases:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return [_proof(case) for case in cases]


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
