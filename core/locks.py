"""Calls that come together: lets one wait for another of the same name, or leave what another one is doing.

Only to tell them apart and to spare work. What must happen once is held by row locks and unique constraints.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_inside: Counter[str] = Counter()
_registry = Lock()
_turns: set[str] = set()
"""The names of which a caller in this process has the turn."""


class Turn:
    """The right to do what only one caller at a time should do, among all processes that share a database.

    Ends when it is given up, or with its process: on PostgreSQL it belongs to the connection, or, where a pool lends
    those, to a transaction that is open for as long. Two that have it after a lost connection do no harm, by the rule
    above.
    """

    def __init__(self, name: str) -> None:
        self._name, self._is_mine = name, False
        self._held: BaseDatabaseWrapper | None = None

    def take(self) -> bool:
        """Whether it is this caller's now. Never waits."""
        with _registry:
            if self._name in _turns:
                return False
            _turns.add(self._name)
        self._is_mine = True
        try:
            is_free = connection.vendor != "postgresql" or self._lock()
        except BaseException:
            self._leave()
            raise
        if not is_free:
            self._leave()
        return is_free

    def give_up(self) -> None:
        """Let somebody else have it; nothing where it is not this caller's any more."""
        if not self._is_mine:
            return
        try:
            if connection.vendor == "postgresql":
                self._unlock()
        finally:
            self._leave()

    def _lock(self) -> bool:
        """Behind a pool by a connection of its own: one that was lent for a statement would keep the lock for ever."""
        if not settings.DATABASE_POOLED:
            return _ask("pg_try_advisory_lock", self._name)
        opened: Any = connection  # ours, as ``DATABASES`` names it
        self._held = opened.held_apart()
        try:
            is_free = _ask("pg_try_advisory_xact_lock", self._name, self._held)
        except BaseException:
            self._unlock()
            raise
        if not is_free:
            self._unlock()
        return is_free

    def _unlock(self) -> None:
        held, self._held = self._held, None
        if held is None:
            _ask("pg_advisory_unlock", self._name)
        else:
            held.close()

    def _leave(self) -> None:
        self._is_mine = False
        with _registry:
            _turns.discard(self._name)


def _ask(function: str, name: str, asked: BaseDatabaseWrapper | None = None) -> bool:
    with (asked or connection).cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended(%s, 0))", [name])
        return bool(cursor.fetchone()[0])


@contextmanager
def entering(name: str) -> Iterator[bool]:
    """Open a transaction under a name; yields whether somebody else was inside when this call came.

    On PostgreSQL whoever was inside, in any process, has committed or rolled back by then. On SQLite only this
    process is seen; there transactions that write wait for each other anyway.
    Locks: an advisory one by the name, until the transaction ends; before any row.
    """
    if connection.vendor == "postgresql":
        with transaction.atomic():
            yield _join_on_postgresql(name)
    else:
        with _registered(name) as was_busy, transaction.atomic():
            yield was_busy


def _join_on_postgresql(name: str) -> bool:
    """Why those who wait share the lock: when the first one leaves, all of them go on at once."""
    is_alone = _ask("pg_try_advisory_xact_lock", name)
    if not is_alone:
        _ask("pg_advisory_xact_lock_shared", name)
    return not is_alone


@contextmanager
def _registered(name: str) -> Iterator[bool]:
    with _registry:
        was_busy = _inside[name] > 0
        _inside[name] += 1
    try:
        yield was_busy
    finally:
        with _registry:
            _inside[name] -= 1
            if not _inside[name]:
                del _inside[name]
