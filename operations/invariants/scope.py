"""What one check looks at, and how rows are read: in batches, so that memory stays bounded however large a table is."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TypeVar

from django.db import models

from core.clock import now

Row = TypeVar("Row", bound=models.Model)
BATCH = 500


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Everything, or only one merchant's rows, or only what was made since a moment."""

    merchant_id: int | None = None
    since: datetime | None = None

    def rows(self, model: type[Row], made: str = "created_at") -> "models.QuerySet[Row]":
        """The rows of a merchant's table that are looked at; ``made`` names the column that says since when."""
        found = model._default_manager.all()
        if self.merchant_id is not None:
            found = found.filter(merchant_id=self.merchant_id)
        return found if self.since is None else found.filter(**{f"{made}__gte": self.since})

    def kept_for(self, days: int) -> "Scope":
        """Without what may have been purged by now, where things are kept for so many days; a day less, to be sure."""
        kept = now() - timedelta(days=days - 1)
        return replace(self, since=kept if self.since is None else max(kept, self.since))

    def batches(self, model: type[Row], made: str = "created_at") -> Iterator[list[Row]]:
        """The same, in lists that fit into memory."""
        return batches(self.rows(model, made))


WHOLE = Scope()


def batches(rows: "models.QuerySet[Row]") -> Iterator[list[Row]]:
    """The rows of a query, in lists that fit into memory."""
    reader = rows.iterator(chunk_size=BATCH)
    while batch := list(islice(reader, BATCH)):
        yield batch
