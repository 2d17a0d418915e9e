"""Writes the two pages: line by line, what was decided and by which test it is proven."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.clauses.catalogue import CONTRACT, RULINGS, SPECIFICATION, Clause, Section, clauses, named_by, sections
from tests.clauses.catalogue import unknown_parts as unknown_parts_of
from tests.clauses.marks import TESTS as TESTS_FOLDER
from tests.clauses.marks import Marked

DOCS = TESTS_FOLDER.parent / "docs"
WRITTEN_BY = """\
Written by `python -m tests.clauses` from the lists in [tests/clauses](../tests/clauses) and from the marks
`@pytest.mark.spec("…")` of the tests; a test fails when it is not current. Tests are named by their path in `tests/`.
"""
SPECIFIED = f"""\
# The specification, clause by clause

{WRITTEN_BY}
*Decided here*: the specification is silent ("not shown") or leaves room, and this is what was chosen, with the text
that says so; contract and rulings are told in [proofs.md](proofs.md). *Not built yet*: nothing is claimed.
"""
DECIDED = f"""\
# What was decided beyond the specification, line by line

{WRITTEN_BY}
Two texts settle what the [specification](specification.md) leaves open. The **contract** (0 to 21) says how the service
behaves towards merchants, payers and receivers. The **rulings** (A to D) say what happens inside and where the contract
left a doubt, and come before it. Tests and decision records name their lines; here each one is told in a sentence.

*Not built yet*: nothing is claimed. *Decided otherwise since*: what holds instead, and where it is written.
"""

Proofs = Mapping[str, list[Marked]]


@dataclass(frozen=True, kw_only=True)
class Page:
    path: Path
    head: str
    books: tuple[str, ...]


PAGES = (
    Page(path=DOCS / "specification.md", head=SPECIFIED, books=(SPECIFICATION,)),
    Page(path=DOCS / "proofs.md", head=DECIDED, books=(CONTRACT, RULINGS)),
)


def proofs(marked: Iterable[Marked]) -> dict[str, list[Marked]]:
    """By clause id: the tests that prove it, each once, however many of its marks name it."""
    found: defaultdict[str, dict[str, Marked]] = defaultdict(dict)
    for entry in sorted(marked):
        for clause in named_by(entry.mark):
            found[clause.id].setdefault(entry.test, entry)
    return {name: list(tests.values()) for name, tests in found.items()}


def written(page: Page, proven_by: Proofs) -> str:
    chapters = (section for book in page.books for section in sections(book))
    return "\n".join([page.head, _summary(page, proven_by), *(_section(section, proven_by) for section in chapters)])


def problems(marked: Iterable[Marked]) -> list[str]:
    """What is wrong with marks and clauses, a sentence each: the pages are believed only without any."""
    known = list(marked)
    proven_by = proofs(known)
    strange = (f"{entry.test}: {part}: names no clause" for entry in known for part in unknown_parts_of(entry.mark))
    return [*strange, *(wrong for clause in clauses() for wrong in _wrongs(clause, proven_by.get(clause.id, [])))]


def _wrongs(clause: Clause, tests: list[Marked]) -> Iterator[str]:
    if not clause.needs_proof:
        if tests:
            yield f"{clause.id}: {tests[0].test} claims it, though it is not built"
    elif not tests:
        yield f"{clause.id}: no test names it"
    elif all(entry.is_exhaustive for entry in tests) != bool(clause.costly):
        yield f"{clause.id}: say in `costly` why `make test` leaves it out, exactly where it does"


def _summary(page: Page, proven_by: Proofs) -> str:
    every = list(clauses(*page.books))
    built = [clause for clause in every if clause.needs_proof]
    proven = [clause for clause in built if clause.id in proven_by]
    tests = {entry.test for clause in proven for entry in proven_by[clause.id]}
    later, instead = (sum(bool(getattr(clause, name)) for clause in every) for name in ("later", "instead"))
    return (
        f"{len(every)} clauses: {len(proven)} proven by {len(tests)} tests, {len(built) - len(proven)} unproven, "
        f"{later} not built yet, {instead} decided otherwise since.\n"
    )


def _section(section: Section, proven_by: Proofs) -> str:
    rows = [_row(clause, proven_by.get(clause.id, [])) for clause in section.clauses]
    return "\n".join([f"## {section.title}\n", "| Clause | Says | Proven by |", "|---|---|---|", *rows, ""])


def _row(clause: Clause, tests: list[Marked]) -> str:
    said = _cell(clause.says) + (f"<br>*Decided here:* {_cell(clause.decision)}" if clause.decision else "")
    return f"| {_cell(clause.id)} | {said} | {_proof(clause, tests)} |"


def _proof(clause: Clause, tests: list[Marked]) -> str:
    if clause.later:
        return f"*Not built yet: {_cell(clause.later)}*"
    if clause.instead:
        return f"*Decided otherwise since: {_cell(clause.instead)}*"
    why = [f"*In `make test-all` alone: {_cell(clause.costly)}*"] if clause.costly else []
    return "<br>".join([*(f"`{entry.test}`" for entry in tests), *why]) or "**UNPROVEN**"


def _cell(text: str) -> str:
    """Text in which nothing is taken for a table or a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")
