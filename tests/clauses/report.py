"""Writes the report: clause by clause, what is proven and by which test."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from tests.clauses.catalogue import Clause, Section, clauses, named_by, sections
from tests.clauses.marks import TESTS as TESTS_FOLDER
from tests.clauses.marks import Marked

REPORT = TESTS_FOLDER.parent / "docs" / "specification.md"
HEAD = """\
# The specification, clause by clause

Written by `python -m tests.clauses` from [the list of clauses](../tests/clauses/clauses.toml) and from the marks
`@pytest.mark.spec("…")` of the tests; a test fails when it is not current. Tests are named by their path in `tests/`.

*Decided here*: the specification is silent ("not shown") or leaves room, and this is what was chosen, with the text
that says so. *Not built yet*: nothing is claimed.
"""

Proofs = Mapping[str, list[str]]


def proofs(marked: Iterable[Marked]) -> dict[str, list[str]]:
    """By clause id: the tests that prove it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for entry in marked:
        for clause in named_by(entry.mark):
            found[clause.id].add(entry.test)
    return {name: sorted(tests) for name, tests in found.items()}


def written(proven_by: Proofs) -> str:
    """The whole report."""
    return "\n".join([HEAD, _summary(proven_by), *(_section(section, proven_by) for section in sections())])


def unproven(proven_by: Proofs) -> list[str]:
    """The clauses that are built and that no test proves."""
    return [clause.id for clause in clauses() if not clause.later and clause.id not in proven_by]


def _summary(proven_by: Proofs) -> str:
    every = list(clauses())
    later = [clause for clause in every if clause.later]
    tests = {test for tests in proven_by.values() for test in tests}
    return (
        f"{len(every)} clauses: {len(every) - len(later) - len(unproven(proven_by))} proven by {len(tests)} tests, "
        f"{len(unproven(proven_by))} unproven, {len(later)} not built yet.\n"
    )


def _section(section: Section, proven_by: Proofs) -> str:
    rows = [_row(clause, proven_by.get(clause.id, [])) for clause in section.clauses]
    return "\n".join([f"## {section.title}\n", "| Clause | Says | Proven by |", "|---|---|---|", *rows, ""])


def _row(clause: Clause, tests: list[str]) -> str:
    said = _cell(clause.says) + (f"<br>*Decided here:* {_cell(clause.decision)}" if clause.decision else "")
    if clause.later:
        proof = f"*Not built yet: {clause.later}*"
    else:
        proof = "<br>".join(f"`{test}`" for test in tests) or "**UNPROVEN**"
    return f"| {_cell(clause.id)} | {said} | {proof} |"


def _cell(text: str) -> str:
    """Text in which nothing is taken for a table or a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")
