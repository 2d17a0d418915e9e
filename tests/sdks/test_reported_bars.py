"""What the run of a suite reported already is no reason for a bar to run it once more."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from scripts.bars import proofs as bars
from scripts.bars.proofs import Proof, believe, proofs

REPORT = """<testsuites><testsuite>
<testcase classname="tests.sdks.test_shop" name="test_each[a]@shop"><properties><property name="cells" value="7"/>
</properties></testcase>
<testcase classname="tests.sdks.test_shop" name="test_each[b]"><failure/></testcase>
<testcase classname="tests.sdks.test_shop" name="test_once"/>
</testsuite></testsuites>"""
EACH = [Proof("test_each[a]@shop", passed=True, figures={"cells": 7}), Proof("test_each[b]", passed=False)]


@pytest.fixture(autouse=True)
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What is run all the same."""
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(bars, "_reports", [])

    def note(places: tuple[str, ...]) -> list[ET.Element]:
        asked.append(places)
        return []

    monkeypatch.setattr(bars, "_run", note)
    (tmp_path / "SDKs.xml").write_text(REPORT)
    (tmp_path / "still-running.xml").touch()
    believe(tmp_path)
    return asked


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("::test_each", EACH),
        ("::test_each[a]", EACH[:1]),
        ("::test_once", [Proof("test_once", passed=True)]),
        ("", [*EACH, Proof("test_once", passed=True)]),
    ],
)
def test_what_is_reported_is_not_run(name: str, found: list[Proof], run: list[tuple[str, ...]]) -> None:
    assert (proofs(f"tests/sdks/test_shop.py{name}"), run) == (found, [])


@pytest.mark.parametrize("other", ["tests/sdks/test_shop.py::test_on", "tests/sdks/test_sho.py"])
def test_all_of_them_are_run_where_one_is_not_reported(other: str, run: list[tuple[str, ...]]) -> None:
    places = ("tests/sdks/test_shop.py", other)
    assert (proofs(*places), run) == ([], [places])
