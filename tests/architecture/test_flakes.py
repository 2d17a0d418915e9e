"""The runner behind `make flakes`: a test that did not pass every time is named, whatever the order."""

import sys
from pathlib import Path

import pytest

from scripts.suite import flakes
from scripts.suite.steps import Step

JUNIT = '<testsuites><testsuite><testcase classname="a" name="{name}">{part}</testcase></testsuite></testsuites>'
WRITE = "import sys; open(sys.argv[1], 'w').write(sys.argv[2 + (sys.argv[-1] in sys.argv[4])])"


def planted(report: Path, *, red_in: str) -> Step:
    """A step whose one test passes, but in the runs of these seeds."""
    green, red = JUNIT.format(name="b", part=""), JUNIT.format(name="b", part="<failure/>")
    command = (sys.executable, "-c", WRITE, str(report), green, red, red_in, "pytest")
    return Step(name="planted", command=command, report=report)


@pytest.mark.parametrize(("red_in", "code"), [("", 0), ("--random-order-seed=2", 1)])
def test_what_differs_once_is_named(
    red_in: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    step = planted(tmp_path / "report.xml", red_in=red_in)
    monkeypatch.setattr(flakes, "everyday", lambda: {"rules": lambda _folder: [step]})
    monkeypatch.setattr(flakes, "LOAD", 0)
    assert flakes.flakes(3, tmp_path) == code
    said = capsys.readouterr().out.splitlines()
    named = ["  a::b: 2 passed, 1 failure of 3"] if code else []
    assert said[-1 - code :] == [*named, f"1 tests in 3 runs, {code} of them not always passed."]


def test_a_run_without_tests_is_red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flakes, "everyday", dict)
    monkeypatch.setattr(flakes, "LOAD", 0)
    assert flakes.flakes(1, tmp_path) == 1
