"""The clauses of the specification, and which of them a mark names."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("clauses.toml")
ENDS_A_NAME = frozenset(" :,;.(")


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One thing the specification says, or leaves open. ``later``: what it waits for, empty when it is built."""

    id: str
    says: str
    decision: str = ""
    later: str = ""
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What a mark may begin with to name this clause."""
        return (self.id, *self.also)


@dataclass(frozen=True, kw_only=True)
class Section:
    """A chapter of the specification."""

    title: str
    clauses: tuple[Clause, ...]


@cache
def sections() -> tuple[Section, ...]:
    """Every chapter, in the specification's order."""
    read = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["section"]
    return tuple(
        Section(title=section["title"], clauses=tuple(_clause(**entry) for entry in section["clauses"]))
        for section in read
    )


def clauses() -> Iterator[Clause]:
    """Every clause, in order."""
    for section in sections():
        yield from section.clauses


def named_by(mark: str) -> list[Clause]:
    """The clauses that a mark names: several parts stand between semicolons, the longest name counts."""
    return [clause for part in mark.split("; ") for clause in _named_by_part(part)]


def unknown_parts(mark: str) -> list[str]:
    """The parts of a mark that name no clause."""
    return [part for part in mark.split("; ") if not _named_by_part(part)]


def _named_by_part(part: str) -> list[Clause]:
    found = [(len(name), clause) for clause in clauses() for name in clause.names if _begins_with(part, name)]
    longest = max((length for length, _ in found), default=0)
    return [clause for length, clause in found if length == longest]


def _begins_with(part: str, name: str) -> bool:
    return part.startswith(name) and (part == name or name[-1] in ENDS_A_NAME or part[len(name)] in ENDS_A_NAME)


def _clause(also: list[str] | None = None, **said: str) -> Clause:
    return Clause(also=tuple(also or ()), **said)
