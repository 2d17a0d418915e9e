"""The report is current, the marks name clauses, every clause that is built is proven, and none that is not."""

from pathlib import Path

import orjson
import pytest

from config.docs_page import description
from payments.states import INTENT_MACHINE
from tests.clauses.catalogue import clauses, named_by, unknown_parts
from tests.clauses.marks import Marked, marked_tests
from tests.clauses.report import REPORT, proofs, unproven, written

WRITE_IT_AGAIN = "docs/specification.md is not current: run `python -m tests.clauses` and commit it"
NAME_A_CLAUSE = "These marks name no clause of tests/clauses/clauses.toml: begin them with its id, or add it there"

REFUSALS = (
    *("Errors: 400 create intent", "Errors: 401", "Errors: 404", "Errors: 409 idempotency", "Errors: 409 cancel"),
    *("Errors: 429", "Limits: amount", "Limits: expires_in_seconds", "Limits: Idempotency-Key length"),
    *("Limits: list limit", "Limits: metadata (not shown)", "Limits: number of webhook endpoints (not shown)"),
    *("Errors: 409 and 422 of refunds and payouts", "Limits: list refunds and payouts"),
)
"""What the specification's two tables refuse, as far as it is built."""


@pytest.fixture(scope="module")
def marked() -> list[Marked]:
    """Every mark of the suite."""
    return marked_tests()


def test_the_committed_report_is_current(marked: list[Marked]) -> None:
    assert REPORT.read_text(encoding="utf-8") == written(proofs(marked)), WRITE_IT_AGAIN


def test_every_mark_names_a_clause(marked: list[Marked]) -> None:
    strange = [f"{entry.test}: {part}" for entry in marked for part in unknown_parts(entry.mark)]
    assert strange == [], NAME_A_CLAUSE


def test_every_clause_that_is_built_is_proven(marked: list[Marked]) -> None:
    assert unproven(proofs(marked)) == []


def test_every_refusal_of_the_tables_is_proven_whole(marked: list[Marked]) -> None:
    """Status, code, and nothing changed: as those two files assert it."""
    whole = ("clauses/test_refusals.py::", "authorization/test_matrix.py::")
    proven = proofs(entry for entry in marked if entry.test.startswith(whole))
    assert [name for name in REFUSALS if name not in proven] == []


def test_nothing_that_is_not_built_is_claimed(marked: list[Marked]) -> None:
    claimed = proofs(marked)
    assert [clause.id for clause in clauses() if clause.later and clause.id in claimed] == []


def test_clauses_have_names_of_their_own() -> None:
    names = [clause.id for clause in clauses()]
    assert len(names) == len(set(names))
    assert [clause.id for clause in clauses() if clause.id.endswith("(not shown)") and not clause.decision] == []


def test_the_longest_name_counts_and_only_whole_words() -> None:
    assert [clause.id for clause in named_by("Limits: amount 0.01 to 1000000")] == ["Limits: amount"]
    assert [clause.id for clause in named_by("Errors: body; 404")] == ["Errors: body", "Errors: 404"]
    assert unknown_parts("Limits: amounts") == ["Limits: amounts"]


def test_marks_are_found_wherever_they_stand(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(
        'pytestmark = pytest.mark.spec("of the file")\n\n'
        '@pytest.mark.parametrize("a", [pytest.param(1, marks=pytest.mark.spec("of a case"))])\n'
        '@pytest.mark.spec("of the test")\ndef test_a(a): pass\n'
    )
    assert marked_tests(tmp_path) == [
        Marked("test_planted.py", "of the file"),
        Marked("test_planted.py::test_a", "of a case"),
        Marked("test_planted.py::test_a", "of the test"),
    ]


def test_a_mark_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text("@pytest.mark.spec(CLAUSE)\ndef test_a(): pass\n")
    with pytest.raises(ValueError, match="plain text"):
        marked_tests(tmp_path)


@pytest.mark.spec("Versioning 1")
def test_the_version_is_part_of_every_path_but_health_and_what_the_payer_of_a_refund_asks() -> None:
    paths = set(read_paths())
    without = {path for path in paths if not path.startswith("/api/public/v1/")}
    of_refunds = {f"/api/public/refunds/{{refund_id}}/{end}" for end in ("status", "claim", "claim/nonce")}
    assert without == {"/api/public/health", "/api/public/health/ready", *of_refunds}
    assert len(paths) > len(without)


@pytest.mark.spec("States: terminal for polling")
def test_polling_ends_where_the_specification_says() -> None:
    assert INTENT_MACHINE.terminal == {"settled", "expired", "refunded", "cancelled", "failed"}


def read_paths() -> list[str]:
    """The paths of the served description."""
    read: dict[str, dict[str, object]] = orjson.loads(description())
    return list(read["paths"])
