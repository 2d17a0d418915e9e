"""The row is the queue: taking due rows by lease, and giving back those that were not begun.

Who takes a row moves the moment at which it is due ahead: a worker that dies merely delays it.
"""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import models, transaction

from core.clock import now


def time_limit(seconds: int) -> Callable[[], bool]:
    """Says whether so many seconds have passed since."""
    ends_at = time.monotonic() + seconds
    return lambda: time.monotonic() >= ends_at


def take_due(
    rows: "models.QuerySet[models.Model]",
    *,
    most: int,
    until: datetime,
    column: str = "next_attempt_at",
    listed: str = "",
) -> list[Any]:
    """The keys of the rows that have been due longest, claimed until a moment. ``column`` says since when they are due.

    ``listed``: the column by which an index lists them, where that is another one; it is never later, and no claim
    changes it, so that claims write no index. They are taken in its order.
    Locks: those rows, in the caller's transaction; rows that somebody else holds are passed over.
    """
    moment, order = now(), listed or column
    due = rows.filter(**{f"{name}__lte": moment for name in {column, order}}).order_by(order, "pk")
    batch = list(due.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)[:most])
    rows.filter(pk__among=batch).update(**{column: until})
    return batch


def give_back(unbegun: "models.QuerySet[models.Model]", *, column: str = "next_attempt_at", listed: str = "") -> None:
    """Let rows that were claimed and not begun be due again, before all others: they had been due longer.

    Why not due since now: a worker with too much to do would send the same ones to the end each time. Where they are
    ``listed`` by another column they have kept their place.
    Locks: where they are listed, the rows that nobody holds: who holds one is just moving it on.
    """
    every = unbegun.model._default_manager
    if listed:
        with transaction.atomic():
            free = list(unbegun.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True))
            every.filter(pk__among=free).update(**{column: now()})
        return
    due = every.filter(**{f"{column}__lte": now()}).order_by(column, "pk")
    unbegun.update(**{column: due.values_list(column, flat=True).first() or now()})
