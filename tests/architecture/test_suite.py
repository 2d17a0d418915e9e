"""The runner behind `make test` and `make test-all`: a red step, an empty set and a skipped test make it red.

That behind `make flakes` names a test that did not pass every time, whatever the order.
"""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path

import pytest

from scripts.suite import flakes, parts, steps
from scripts.suite.__main__ import side_by_side
from scripts.suite.reports import Report, read_report
from scripts.suite.steps import Step, environment, judge, run_aloud, run_captured, summarise
from tests.architecture.source import ROOT

JUNIT = (
    '<testsuites><testsuite name="pytest" tests="{tests}" skipped="{skipped}">'
    '<testcase classname="a.b" name="c" time="2.5"/></testsuite></testsuites>'
)
TAP = "TAP version 13\n# tests {tests}\n# cancelled 0\n# skipped {skipped}\n# todo 0\n"
STEP = Step(name="planted", command=("true",))
MARKS = ("exhaustive", "postgres", "embedded", "browser")
FOLDERS = ("tests/core", parts.LIVE, parts.CRASH, parts.JOURNEYS, parts.IMAGE, parts.UPGRADE, parts.SDKS)
ONE_TEST = '<testsuites><testsuite><testcase classname="a" name="{name}">{part}</testcase></testsuite></testsuites>'
WRITE = "import sys; open(sys.argv[1], 'w').write(sys.argv[2 + (sys.argv[-1] in sys.argv[4])])"
PLUGIN = "tests.architecture.strictness"
PLANTED = """
from pytest import mark

def test_runs(): pass

@mark.skip(reason="planted skip")
def test_skipped(): pass

@mark.xfail(reason="planted xfail", strict=True)
def test_expected_to_fail(): assert False

@mark.postgres
def test_race(): pass
"""
PLANTED_MODULE = 'import pytest\npytest.importorskip("a_module_that_is_not_there")\n'


def judged(report: Path, template: str, *, tests: int, skipped: int, code: int = 0) -> tuple[str, ...]:
    report.write_text(template.format(tests=tests, skipped=skipped))
    return judge(replace(STEP, report=report), code, 1.0).problems


@pytest.mark.parametrize(("name", "template"), [("report.xml", JUNIT), ("report.tap", TAP)])
def test_a_report_is_judged(tmp_path: Path, name: str, template: str) -> None:
    report = tmp_path / name
    assert judged(report, template, tests=3, skipped=0) == ()
    assert judged(report, template, tests=3, skipped=1) == ("1 tests were skipped",)
    assert judged(report, template, tests=0, skipped=0) == ("no test ran",)
    assert judged(report, template, tests=3, skipped=0, code=1) == ("exit code 1",)


def test_a_missing_or_empty_report_is_none(tmp_path: Path) -> None:
    assert judge(replace(STEP, report=tmp_path / "none.xml"), 0, 1.0).problems == ("no test ran",)
    (tmp_path / "report.xml").touch()
    assert read_report(tmp_path / "report.xml") is None
    assert read_report(None) is None


def test_one_red_step_makes_the_suite_red(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "report.xml").write_text(JUNIT.format(tests=3, skipped=0))
    green = judge(replace(STEP, report=tmp_path / "report.xml"), 0, 1.0)
    red = judge(replace(STEP, name="types"), 1, 1.0)
    assert green.report == Report(tests=3, left_out=0, slowest=(("a.b", 2.5),))
    assert summarise([green, green], 2.0) == 0
    assert summarise([green, red], 2.0) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == ["  slowest: a.b 2 s", "FAILED after 2 s: types"]


def test_a_program_that_is_missing_is_a_problem() -> None:
    missing = replace(STEP, command=("a-program-that-is-not-there",))
    assert run_aloud(missing).problems == ("a-program-that-is-not-there is not installed",)
    assert run_captured(missing).problems == ("a-program-that-is-not-there is not installed",)


def test_what_hangs_is_ended_and_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(steps, "LIMIT_SECONDS", 2)
    hanging = replace(STEP, command=("bash", "-c", "echo so far; exec sleep 1000"), report=tmp_path / "none.xml")
    ended = run_captured(hanging)
    assert ended.problems == ("ended after 2 s, its limit", "no test ran")
    assert "so far" in capfd.readouterr().out


def selects(step: Step, marks: frozenset[str], folder: str) -> bool:
    """Whether a step runs a test with these marks in a folder. The search for more examples comes on top."""
    words = step.command
    if "pytest" not in words:
        return False
    marked = words[words.index("-m", words.index("pytest")) + 1]
    only = [word for word in words if word in FOLDERS]
    is_there = folder in only if only else f"--ignore={folder}" not in words
    known = {mark: mark in marks for mark in MARKS} | {"hypothesis": False}
    return is_there and bool(eval(marked, {"__builtins__": {}}, known))  # noqa: S307  Why: our own words, as pytest takes them.


def test_each_test_belongs_to_one_part_whatever_its_marks(tmp_path: Path) -> None:
    """One of the whole tier; one of the everyday tier unless it is exhaustive, which the added parts run then."""
    everyday, whole, added = (
        [step for steps_of in tier().values() for step in steps_of(tmp_path)]
        for tier in (parts.everyday, parts.whole, parts.added)
    )
    for marks in map(frozenset, chain.from_iterable(combinations(MARKS, size) for size in range(len(MARKS) + 1))):
        for folder in FOLDERS:
            inside = marks & {"embedded", "browser"}
            count = [sum(selects(step, marks, folder) for step in tier) for tier in (everyday, whole, added)]
            twice = {FOLDERS[0], parts.JOURNEYS, parts.IMAGE, parts.UPGRADE}
            is_asked_twice = not inside and folder in twice
            assert count[0] == (0 if "exhaustive" in marks else 1), (marks, folder)
            assert count[1] == 1, (marks, folder)
            assert count[2] == (1 if "exhaustive" in marks or is_asked_twice else 0), (marks, folder)


def test_what_waits_runs_beside_what_computes(tmp_path: Path) -> None:
    """Each of the two ends only when the other one runs: a pipe opens for both at once. All outcomes are told."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    waiting = replace(STEP, name="waits", command=("bash", "-c", f"echo now > {pipe}"))
    computing = replace(STEP, name="computes", command=("bash", "-c", f"read word < {pipe}"))
    outcomes = side_by_side({"live": [waiting], "rules": [computing]})
    assert [(outcome.step.name, outcome.problems) for outcome in outcomes] == [("computes", ()), ("waits", ())]


def test_two_steps_have_databases_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me@host:5432/causeway?sslmode=require")
    named = environment(replace(STEP, name="nodes and wallets"))["DATABASE_URL"]
    assert named == "postgres://me@host:5432/causeway_nodes_and_wallets?sslmode=require"


def test_files_are_named_where_few_tests_carry_a_mark(tmp_path: Path) -> None:
    """Else every worker would collect every test."""
    steps_of = parts.everyday()
    for part in ("database", "embedded", "browser"):
        [step] = steps_of[part](tmp_path)
        assert step.command[-1].startswith("tests/")
        assert part != "database" or not any(word.startswith(f"{parts.LIVE}/") for word in step.command)
    assert steps_of["checks"](tmp_path)[-1].command[:2] == ("node", "--test")


def test_marked_files_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that names the mark, and the folder whose conftest.py gives it."""
    planted = {"a/test_one.py": "pytest.mark.planted", "a/test_two.py": "", "b/conftest.py": "pytest.mark.planted"}
    for name, text in planted.items():
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / name).write_text(text)
    monkeypatch.setattr(parts, "ROOT", tmp_path)
    assert parts.places("planted and not other") == ("tests/a/test_one.py", "tests/b")
    assert parts.places("not planted") == ()


def planted(report: Path, *, red_in: str) -> Step:
    """A step whose one test passes, but in the runs of these seeds."""
    green, red = ONE_TEST.format(name="b", part=""), ONE_TEST.format(name="b", part="<failure/>")
    command = (sys.executable, "-c", WRITE, str(report), green, red, red_in, "pytest")
    return Step(name="planted", command=command, report=report)


def test_what_differs_once_is_named_and_a_run_without_tests_is_red(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(flakes, "LOAD", 0)
    for red_in, code in (("", 0), ("--random-order-seed=2", 1)):
        step = planted(tmp_path / "report.xml", red_in=red_in)
        monkeypatch.setattr(flakes, "everyday", lambda step=step: {"rules": lambda _folder: [step]})
        assert flakes.flakes(3, tmp_path) == code
        said = capsys.readouterr().out.splitlines()
        named = ["  a::b: 2 passed, 1 failure of 3"] if code else []
        assert said[-1 - code :] == [*named, f"1 tests in 3 runs, {code} of them not always passed."]
    monkeypatch.setattr(flakes, "everyday", dict)
    assert flakes.flakes(1, tmp_path) == 1


def test_a_test_that_records_a_figure_may_be_in_a_report(pytestconfig: pytest.Config) -> None:
    """The newer form warns of it, and a warning fails the test: only where a report is written, as the suite does."""
    assert pytestconfig.getini("junit_family") == "xunit1"


def test_what_does_not_run_fails(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin(PLUGIN)
    (tmp_path / "test_planted.py").write_text(PLANTED)
    (tmp_path / "test_planted_module.py").write_text(PLANTED_MODULE)
    config = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", PLUGIN, "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors", *config, str(tmp_path)]
    on_sqlite = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    ended = subprocess.run(command, cwd=ROOT, env=on_sqlite, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    said = ("planted skip", "planted xfail", "a_module_that_is_not_there")
    assert [words for words in said if words not in ended.stdout] == []
    assert "skipped" not in ended.stdout.splitlines()[-1]
    assert "1 passed" in ended.stdout.splitlines()[-1]
