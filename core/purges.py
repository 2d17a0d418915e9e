"""Deletes what is kept no longer: in small transactions, the oldest first, past rows that somebody is using.

Why small: one long delete would hold its locks, and the log of the database, for as long as it takes.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db import models, transaction
from django.db.models import Q

from core.leases import time_limit

AT_ONCE: Final = 1000
TURN_SECONDS: Final = 10
"""How long a purge may hold up what else its worker does; a task that needs longer asks for another turn."""
IsOver = Callable[[], bool]
Remove = Callable[[Sequence[Any]], int]


def in_turn(*purges: Callable[[IsOver], int]) -> bool:
    """Run these one after the other for ``TURN_SECONDS``; whether the time was up, so that more may be left."""
    is_over = time_limit(TURN_SECONDS)
    for purge in purges:
        purge(is_over)
    return is_over()


def purge(
    rows: "models.QuerySet[Any]",
    *,
    age: str,
    is_over: IsOver | None = None,
    remove: Remove | None = None,
    at_once: int = AT_ONCE,
) -> int:
    """Delete these rows in the order of a column, until each was come to or the time is over; returns how many.

    ``age``: a column with an index, never null in these rows. ``remove`` deletes a batch by its keys, in the batch's
    transaction, and says how many of them went: what it leaves is passed over until the next purge.
    Locks: a batch's rows; those that somebody else holds are passed over.
    """
    is_over = is_over or time_limit(TURN_SECONDS)
    remove = remove or (lambda keys: rows.model._default_manager.filter(pk__among=keys).delete()[0])
    gone, place = 0, Q()
    while not is_over():
        with transaction.atomic():
            due = rows.filter(place).order_by(age, "pk").select_for_update(skip_locked=True, of=("self",))
            batch = list(due.values_list(age, "pk")[:at_once])
            if not batch:
                break
            gone += remove([key for _, key in batch])
        moment, key = batch[-1]
        # Why the first part: it is what an index can begin at.
        place = Q((f"{age}__gte", moment)) & (Q((f"{age}__gt", moment)) | Q(pk__gt=key))
    return gone
