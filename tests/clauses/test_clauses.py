"""The pages are current, marks name clauses, and each line that is built is proven where `make test` looks."""

from collections import Counter
from pathlib import Path

import orjson
import pytest

from config.docs_page import description
from payments.states import INTENT_MACHINE
from tests.clauses.catalogue import CONTRACT, RULINGS, SPECIFICATION, Clause, clauses, named_by, unknown_parts
from tests.clauses.marks import Marked, marked_tests
from tests.clauses.report import PAGES, Page, problems, proofs, written

WRITE_IT_AGAIN = "This page is not current: run `python -m tests.clauses` and commit it"
NOT_BUILT = {
    *("Contract 2.12", "Contract 2.19", "Contract 7.7"),
    *("Rulings C4.3", "Rulings C13.5"),
}
"""What is decided and not built: this list only shrinks."""
DECIDED_SINCE = {"Contract 2.20", "Contract 4.10", "Contract 9.4", "Rulings A6.3"}
REFUSALS = (
    *("Errors: 400 create intent", "Errors: 401", "Errors: 404", "Errors: 409 idempotency", "Errors: 409 cancel"),
    *("Errors: 429", "Limits: amount", "Limits: expires_in_seconds", "Limits: Idempotency-Key length"),
    *("Limits: list limit", "Limits: metadata (not shown)", "Limits: number of webhook endpoints (not shown)"),
    *("Errors: 409 and 422 of refunds and payouts", "Limits: list refunds and payouts"),
)
"""What the specification's two tables refuse, as far as it is built."""
WHOLE = (
    *(
        "clauses/test_refusals.py::",
        "authorization/test_matrix.py::",
        "merchants/test_idempotency.py::test_another_body",
    ),
    *("merchants/test_idempotency.py::test_usable", "merchants/test_rate_limits.py::test_creates"),
    "webhooks/test_endpoints.py::test_sixteen",
)


@pytest.fixture(scope="module")
def marked() -> list[Marked]:
    return marked_tests()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.name)
def test_the_committed_page_is_current(page: Page, marked: list[Marked]) -> None:
    assert page.path.read_text(encoding="utf-8") == written(page, proofs(marked)), WRITE_IT_AGAIN


def test_every_line_is_proven_and_every_mark_names_one(marked: list[Marked]) -> None:
    assert problems(marked) == []


def test_what_is_wrong_is_said() -> None:
    """The check itself, with one mark of each kind in place of the suite's."""
    said = problems(
        [
            Marked("a.py::test_a", "Rulings A1.1"),
            Marked("a.py::test_b", "Rulings A1.2", is_exhaustive=True),
            Marked("a.py::test_c", "Rulings C4.3"),
            Marked("a.py::test_d", "Rulings A1.1; Rulings Z"),
        ]
    )
    assert said[0] == "a.py::test_d: Rulings Z: names no clause"
    assert [
        one for one in said if one.startswith(("Rulings A1.1:", "Rulings A1.2:", "Rulings A1.3:", "Rulings C4.3:"))
    ] == [
        "Rulings A1.2: say in `costly` why `make test` leaves it out, exactly where it does",
        "Rulings A1.3: no test names it",
        "Rulings C4.3: a.py::test_c claims it, though it is not built",
    ]


def test_no_part_is_forgotten_named_twice_or_silently_not_built() -> None:
    ruled = zip("ABCD", (8, 15, 16, 9), strict=True)
    wanted = {
        CONTRACT: {f"Contract {number}" for number in range(22)},
        RULINGS: {f"Rulings {part}{number}" for part, most in ruled for number in range(1, most + 1)},
    }
    for book, first_words in wanted.items():
        assert {clause.id.partition(".")[0] for clause in clauses(book)} == first_words
    assert [name for name, times in Counter(clause.id for clause in clauses()).items() if times > 1] == []
    silent: list[Clause] = [clause for clause in clauses(SPECIFICATION) if clause.id.endswith("(not shown)")]
    assert [clause.id for clause in silent if not clause.decision] == []
    assert {clause.id for clause in clauses() if clause.later} == set(NOT_BUILT)
    assert {clause.id for clause in clauses() if clause.instead} == DECIDED_SINCE


def test_every_refusal_of_the_tables_is_proven_whole(marked: list[Marked]) -> None:
    """Status, code, and nothing changed: as those tests assert it."""
    proven = proofs(entry for entry in marked if entry.test.startswith(WHOLE))
    assert [name for name in REFUSALS if name not in proven] == []


def test_the_longest_name_counts_and_only_whole_words() -> None:
    assert [clause.id for clause in named_by("Limits: amount 0.01 to 1000000")] == ["Limits: amount"]
    assert [clause.id for clause in named_by("Errors: body; 404")] == ["Errors: body", "Errors: 404"]
    assert [clause.id for clause in named_by("Contract 2.1")] == ["Contract 2.1"]
    assert unknown_parts("Limits: amounts") == ["Limits: amounts"]


def test_marks_are_found_wherever_they_stand_and_know_whether_the_whole_test_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(
        'pytestmark = pytest.mark.spec("of the file")\n\n'
        '@pytest.mark.parametrize("a", [pytest.param(1, marks=pytest.mark.spec("of a case"))])\n'
        '@pytest.mark.spec("of the test")\ndef test_a(a): pass\n\n'
        '@pytest.mark.parametrize("a", [1, pytest.param(2, marks=pytest.mark.exhaustive)])\n'
        '@pytest.mark.spec("of both")\ndef test_b(a): pass\n\n'
        '@pytest.mark.exhaustive\n@pytest.mark.spec("of c")\ndef test_c(): pass\n'
    )
    (tmp_path / "test_whole.py").write_text(
        'pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]\n\n@pytest.mark.spec("of d")\ndef test_d(): pass\n'
    )
    assert marked_tests(tmp_path) == [
        Marked("test_planted.py", "of the file"),
        Marked("test_planted.py::test_a", "of a case"),
        Marked("test_planted.py::test_a", "of the test"),
        Marked("test_planted.py::test_b", "of both"),
        Marked("test_planted.py::test_c", "of c", is_exhaustive=True),
        Marked("test_whole.py::test_d", "of d", is_exhaustive=True),
    ]
    (tmp_path / "test_planted.py").write_text("@pytest.mark.spec(CLAUSE)\ndef test_a(): pass\n")
    with pytest.raises(ValueError, match="plain text"):
        marked_tests(tmp_path)


@pytest.mark.spec("Versioning 1")
def test_the_version_is_part_of_every_path_but_health_and_what_the_payer_of_a_refund_asks() -> None:
    read: dict[str, dict[str, object]] = orjson.loads(description())
    paths = set(read["paths"])
    without = {path for path in paths if not path.startswith("/api/public/v1/")}
    of_refunds = {f"/api/public/refunds/{{refund_id}}/{end}" for end in ("status", "claim", "claim/nonce")}
    assert without == {"/api/public/health", "/api/public/health/ready", *of_refunds}
    assert len(paths) > len(without)


@pytest.mark.spec("Contract 0.5")
@pytest.mark.spec("States: terminal for polling")
def test_polling_ends_where_the_specification_says() -> None:
    assert INTENT_MACHINE.terminal == {"settled", "expired", "refunded", "cancelled", "failed"}
