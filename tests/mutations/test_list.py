"""The list of faults is in order: each still fits its source, and its tests are there. The run says what is caught."""

from ast import parse
from collections import Counter

import pytest

from tests.mutations.faults import FAULTS
from tests.mutations.planting import ROOT, Fault, Stale

ENOUGH = 60


def test_names_are_unique_and_there_are_enough() -> None:
    assert [name for name, times in Counter(fault.name for fault in FAULTS).items() if times > 1] == []
    assert len(FAULTS) >= ENOUGH


def missing(fault: Fault) -> list[str]:
    places = [test.partition("::") for test in fault.tests]
    lost = [f"{fault.name}: no {name or 'tests'} in {path}" for path, _, name in places if not _holds(path, name)]
    try:
        parse(fault.sources()[1])
    except Stale as stale:
        lost.append(f"{fault.name}: {stale}")
    return lost


def _holds(path: str, name: str) -> bool:
    return (ROOT / path).is_file() and (f"def {name}(" if name else "def test_") in (ROOT / path).read_text()


def test_every_fault_fits_the_source_and_has_its_tests() -> None:
    assert [line for fault in FAULTS for line in missing(fault)] == []


@pytest.mark.parametrize("old", ["no such line anywhere", "return"])
def test_a_line_that_is_not_there_exactly_once_is_stale(old: str) -> None:
    fault = Fault("made up", "none", "payments/amounts.py", old, "", ("tests/nowhere.py::test_nothing",))
    assert len(missing(fault)) == 2
