"""What one check looks at, and how rows are read: in batches, so that memory stays bounded however large a table is."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, ClassVar, TypeVar

from django.db import models

from core.clock import now

Row = TypeVar("Row", bound=models.Model)
Keys = Mapping[type[models.Model], Collection[Any]]
"""Some rows, by table and primary key."""
BATCH = 500


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Everything, or only one merchant's rows, only what was made since a moment, only a piece: these very rows.

    In a piece, a table that ``only`` does not name has no rows. ``is_brief``: what stands far back in a long row of
    numbers is left to the whole walk.
    """

    merchant_id: int | None = None
    since: datetime | None = None
    only: Keys | None = field(default=None, hash=False)
    is_brief: bool = False
    notes_tables: ClassVar[bool] = False
    """Whether it is asked which tables are read, and what is read does not count."""

    def rows(self, model: type[Row], made: str = "created_at") -> "models.QuerySet[Row]":
        """The rows of a merchant's table that are looked at; ``made`` names the column that says since when."""
        found = self.of_piece(model)
        if self.merchant_id is not None:
            found = found.filter(merchant_id=self.merchant_id)
        return found if self.since is None else found.filter(**{f"{made}__gte": self.since})

    def kept_for(self, days: int) -> "Scope":
        """Without what may have been purged by now, where things are kept for so many days; a day less, to be sure."""
        kept = now() - timedelta(days=days - 1)
        return replace(self, since=kept if self.since is None else max(kept, self.since))

    def of_piece(self, model: type[Row]) -> "models.QuerySet[Row]":
        """The rows of the piece, whoever's they are; of a table that belongs to nobody, or says so in other words."""
        every = model._default_manager.all()
        if self.only is None:
            return every
        keys = self.only.get(model)
        return every.filter(pk__in=list(keys)) if keys else every.none()

    def batches(self, model: type[Row], made: str = "created_at") -> Iterator[list[Row]]:
        """The same as ``rows``, in lists that fit into memory."""
        return batches(self.rows(model, made))

    def piece(self, keys: Keys, *, is_brief: bool = False) -> "Scope":
        """The same, of these rows alone."""
        return replace(self, only=keys, is_brief=is_brief)


WHOLE = Scope()


def batches(rows: "models.QuerySet[Row]") -> Iterator[list[Row]]:
    """The rows of a query, in lists that fit into memory."""
    reader = rows.iterator(chunk_size=BATCH)
    while batch := list(islice(reader, BATCH)):
        yield batch
