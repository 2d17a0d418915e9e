"""The runner behind `make test`: a red step, an empty set and a skipped test all make it red."""

from dataclasses import replace
from pathlib import Path

import pytest

from scripts import suite

JUNIT = '<testsuites><testsuite name="pytest" tests="{tests}" skipped="{skipped}"/></testsuites>'
TAP = "TAP version 13\n# tests {tests}\n# cancelled 0\n# skipped {skipped}\n# todo 0\n"
STEP = suite.Step(name="planted", command=("true",))


def judged(report: Path, template: str, *, tests: int, skipped: int, code: int = 0) -> tuple[str, ...]:
    """The problems of a step that wrote such a report."""
    report.write_text(template.format(tests=tests, skipped=skipped))
    return suite.judge(replace(STEP, report=report), code, 1.0).problems


@pytest.mark.parametrize(("name", "template"), [("report.xml", JUNIT), ("report.tap", TAP)])
def test_a_report_is_judged(tmp_path: Path, name: str, template: str) -> None:
    report = tmp_path / name
    assert judged(report, template, tests=3, skipped=0) == ()
    assert judged(report, template, tests=3, skipped=1) == ("1 tests were skipped",)
    assert judged(report, template, tests=0, skipped=0) == ("no test ran",)
    assert judged(report, template, tests=3, skipped=0, code=1) == ("exit code 1",)


def test_a_missing_report_is_no_test(tmp_path: Path) -> None:
    assert suite.judge(replace(STEP, report=tmp_path / "none.xml"), 0, 1.0).problems == ("no test ran",)


def test_one_red_step_makes_the_suite_red(capsys: pytest.CaptureFixture[str]) -> None:
    green = suite.judge(STEP, 0, 1.0)
    red = suite.judge(replace(STEP, name="types"), 1, 1.0)
    assert suite.summarise([green, green], 2.0) == 0
    assert suite.summarise([green, red], 2.0) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "FAILED after 2 s: types"


def test_a_program_that_is_missing_is_a_problem() -> None:
    missing = replace(STEP, command=("a-program-that-is-not-there",))
    assert suite.run_aloud(missing).problems == ("a-program-that-is-not-there is not installed",)
    assert suite.run_captured(missing).problems == ("a-program-that-is-not-there is not installed",)


def test_every_set_of_tests_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test belongs to exactly one set, whatever its marks."""
    run: list[suite.Step] = []
    monkeypatch.setattr(suite, "run_quietly", lambda _steps: [])
    monkeypatch.setattr(suite, "run_aloud", run.append)
    suite.everything(tmp_path)
    for step in run[1:3]:
        assert step.command[-1].startswith("tests/"), "every worker would collect every test"
    selections = [step.command[step.command.index("-m", 3) + 1] for step in run if "pytest" in step.command]
    assert selections == ["not embedded and not browser", "embedded and not browser", "browser"]
    assert run[-1].command[:2] == ("node", "--test")


def test_marked_files_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that names the mark, and the folder whose conftest.py gives it."""
    planted = {"a/test_one.py": "pytest.mark.planted", "a/test_two.py": "", "b/conftest.py": "pytest.mark.planted"}
    for name, text in planted.items():
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / name).write_text(text)
    monkeypatch.setattr(suite, "ROOT", tmp_path)
    assert suite.places("planted and not other") == ("tests/a/test_one.py", "tests/b")
    assert suite.places("not planted") == ()
