"""Pages of deliveries and events, newest first: by key, and narrowed without reading a table to its end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet

from webhooks.catalog import EVENT_NAMES
from webhooks.states import Outcome

PAGE = 50
LOOKED_AT = 2000
"""How many rows one page looks through for a type. Why bounded: an index by type would slow down all sending."""


@dataclass
class Narrowing:
    """What a person chose of a list, and what of it makes no sense."""

    asked: Mapping[str, str]
    names: tuple[str, ...] = ("outcome", "type")
    faults: list[str] = field(default_factory=list)

    @property
    def words(self) -> dict[str, str]:
        """The filters that are set, for links to other pages of the same."""
        return {name: self.asked[name] for name in self.names if self.asked.get(name)}

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        return urlencode(self.words)

    @property
    def is_later_page(self) -> bool:
        """Whether the page begins below the newest row."""
        return bool(self.asked.get("before"))

    def outcome(self) -> str:
        """The outcome that is asked for, or nothing."""
        return self._known("outcome", Outcome.values, "There is no such outcome.")

    def type(self) -> str:
        """The event type that is asked for, or nothing."""
        return self._known("type", EVENT_NAMES, "There is no such event type.")

    def _known(self, name: str, known: Any, fault: str) -> str:
        text = self.words.get(name, "")
        if text and text not in known:
            self.faults.append(fault)
            return ""
        return text


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Keys of one page's rows, and the row to go on from; ``is_cut``: looked at as many as one page may."""

    keys: list[Any]
    before: str
    is_cut: bool


def sheet_of(rows: QuerySet[Any], moment: str, before: Any, event_type: str, type_field: str) -> Sheet:
    """One page of already scoped rows, in the order of ``moment`` and key, below the row ``before``."""
    ordered = rows.order_by(f"-{moment}", "-pk")
    if before is not None:
        at = getattr(before, moment)
        older = Q(**{f"{moment}__lt": at}) | Q(**{moment: at, "pk__lt": before.pk})
        ordered = ordered.filter(Q(**{f"{moment}__lte": at}) & older)
    if not event_type:
        keys = list(ordered.values_list("pk", flat=True)[: PAGE + 1])
        return Sheet(keys=keys[:PAGE], before=str(keys[PAGE - 1]) if len(keys) > PAGE else "", is_cut=False)
    seen = list(ordered.values_list("pk", type_field)[:LOOKED_AT])
    found = [key for key, name in seen if name == event_type]
    if len(found) > PAGE:
        return Sheet(keys=found[:PAGE], before=str(found[PAGE - 1]), is_cut=False)
    is_cut = len(seen) == LOOKED_AT
    return Sheet(keys=found, before=str(seen[-1][0]) if is_cut else "", is_cut=is_cut)


def in_order(rows: QuerySet[Any], keys: list[Any]) -> list[Any]:
    """The rows with these keys, in the keys' order."""
    known = rows.in_bulk(keys)
    return [known[key] for key in keys if key in known]
