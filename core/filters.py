"""What a page's address asks for of a long list: filters that make sense, sentences about those that do not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

Conditions = dict[str, Any]
"""What a queryset is filtered by."""
_NUMBER_DIGITS = 18


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reads one filter: the conditions it means, empty where it makes no sense, and the sentence that then stands."""

    read: Callable[[str], Conditions]
    fault: str


@dataclass
class Filter:
    """What was asked for, what of it makes sense, and what does not."""

    asked: Mapping[str, str]
    readers: Mapping[str, Reader]
    faults: list[str] = field(default_factory=list)

    @property
    def words(self) -> dict[str, str]:
        """The filters that are set, for links to other pages of the same."""
        return {name: self.asked[name] for name in self.readers if self.asked.get(name)}

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        return urlencode(self.words)

    def conditions(self) -> Conditions:
        """The lines that are asked for. What makes no sense is told in ``faults`` and finds nothing."""
        found: Conditions = {}
        for name, value in self.words.items():
            meant = self.readers[name].read(value)
            if not meant:
                self.faults.append(self.readers[name].fault)
            found |= meant or {"pk__in": []}
        return found

    def before(self) -> Conditions:
        """Where the page begins: below the last line of the page before."""
        return {"pk__lt": int(text)} if is_number(text := self.asked.get("before", "")) else {}

    def older_than(self, key: object) -> str:
        """The end of the address of the page that goes on below a line."""
        return urlencode({**self.words, "before": key})


def is_number(text: str) -> bool:
    """Whether a text is a row's number that every database takes."""
    return text.isascii() and text.isdecimal() and len(text) <= _NUMBER_DIGITS


def read_day(text: str) -> Conditions:
    """The lines of one day, in UTC."""
    try:
        begins = datetime.combine(date.fromisoformat(text), time.min, UTC)
        return {"created_at__gte": begins, "created_at__lt": begins + timedelta(days=1)}
    except (ValueError, OverflowError):
        return {}


DAY = Reader(read=read_day, fault="That is no day. Write it like 2026-05-04.")
