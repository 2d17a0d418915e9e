"""Reads a database that is in use: one piece after the other, each as of one short moment."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, islice
from typing import ClassVar

from django.db import models

from core.snapshot import one_moment
from operations.invariants import INVARIANTS, STANDING, Invariant
from operations.invariants.scope import WHOLE, Row, Scope

MOST_OF_A_PIECE = 201
"""Sentences. Why not more: two hundred are kept, and one more says that there are."""
BY_ROW: tuple[Invariant, ...] = tuple(one for one in INVARIANTS if one not in STANDING)


@dataclass(frozen=True, kw_only=True)
class _Asked(Scope):
    """Has no rows, and notes which tables were asked for."""

    notes_tables: ClassVar[bool] = True
    tables: set[type[models.Model]] = field(default_factory=set, hash=False)

    def of_piece(self, model: type[Row]) -> "models.QuerySet[Row]":
        self.tables.add(model)
        return model._default_manager.none()


@cache
def tables_read(invariant: Invariant) -> frozenset[type[models.Model]]:
    """The tables whose rows an invariant goes through: what it compares them with is no matter."""
    scope = _Asked()
    list(invariant(scope))
    return frozenset(scope.tables)


def violations_in(piece: Scope) -> list[str]:
    """What cannot be true in these rows, each sentence once. In a short transaction that can write nothing."""
    named = {model for model, keys in (piece.only or {}).items() if keys}
    return _read([one for one in BY_ROW if tables_read(one) & named], piece)


def violations_by_now(scope: Scope = WHOLE) -> list[str]:
    """What time alone makes wrong, of all rows: by indexes of what is due."""
    return _read(STANDING, scope)


def _read(invariants: Sequence[Invariant], scope: Scope) -> list[str]:
    with one_moment():
        found = chain.from_iterable(invariant(scope) for invariant in invariants)
        return list(dict.fromkeys(islice(found, MOST_OF_A_PIECE)))
