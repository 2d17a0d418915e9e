"""Everything that was decided, line by line: the specification, the contract, the rulings; and what a mark names."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
SPECIFICATION, CONTRACT, RULINGS = BOOKS = ("specification.toml", "contract.toml", "rulings.toml")
ENDS_A_NAME = frozenset(" :,;.(")


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One decided line.

    ``later``: not built, and what it waits for. ``instead``: what was decided since, and where. Neither is proven.
    ``costly``: why it is proven in `make test-all` alone.
    """

    id: str
    says: str
    decision: str = ""
    later: str = ""
    instead: str = ""
    costly: str = ""
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What a mark may begin with to name this clause."""
        return (self.id, *self.also)

    @property
    def needs_proof(self) -> bool:
        """Whether the service claims to do what it says."""
        return not self.later and not self.instead


@dataclass(frozen=True, kw_only=True)
class Section:
    title: str
    clauses: tuple[Clause, ...]


@cache
def sections(book: str) -> tuple[Section, ...]:
    read = tomllib.loads((FOLDER / book).read_text(encoding="utf-8"))["section"]
    return tuple(
        Section(title=section["title"], clauses=tuple(_clause(**entry) for entry in section["clauses"]))
        for section in read
    )


def clauses(*books: str) -> Iterator[Clause]:
    for book in books or BOOKS:
        for section in sections(book):
            yield from section.clauses


def named_by(mark: str) -> list[Clause]:
    """The clauses that a mark names: several parts stand between semicolons, the longest name counts."""
    return [clause for part in mark.split("; ") for clause in _named_by_part(part)]


def unknown_parts(mark: str) -> list[str]:
    return [part for part in mark.split("; ") if not _named_by_part(part)]


@cache
def _named_by_part(part: str) -> tuple[Clause, ...]:
    found = [(len(name), clause) for clause in clauses() for name in clause.names if _begins_with(part, name)]
    longest = max((length for length, _ in found), default=0)
    return tuple(clause for length, clause in found if length == longest)


def _begins_with(part: str, name: str) -> bool:
    return part.startswith(name) and (part == name or name[-1] in ENDS_A_NAME or part[len(name)] in ENDS_A_NAME)


def _clause(also: list[str] | None = None, **said: str) -> Clause:
    return Clause(also=tuple(also or ()), **said)
