"""Which key seals what is stored, and sealing it under the first one, so that the others can be given up.

Source: docs/rotation.md, ENCRYPTION_KEYS; docs/adr/0092.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.db import models, transaction
from django.db.models import Q
from django.db.models.functions import Substr

from core.secrets import HEAD_BYTES, SecretUnreadable, key_name_of, key_names, newest_head, says_its_key
from operations.sealed import Kind

BATCH: Final = 200
"""Rows of a statement and of a transaction, so that a table of any size keeps nobody waiting for long."""


def count_keys(kind: Kind) -> Counter[str]:
    """How many values of a kind each key has sealed, by its name; empty where no key is known by it."""
    found: Counter[str] = Counter()
    for rows in _ranges(kind):
        found.update(_named(kind, rows) if kind.places else _counted(kind, rows))
    return found


def reseal(kind: Kind) -> int:
    """Seal under the first key what another one sealed; how many rows. What no key opens stays as it is.

    It may be ended at any moment, and begun again: what is done is passed over. Locks: the rows of a batch; those that
    somebody else holds are passed over, and counted as left.
    """
    done = 0
    for rows in _ranges(kind):
        others = rows if kind.places else _with_heads(kind, rows).exclude(head=newest_head())
        done += _reseal(kind, list(others.order_by("pk").values_list("pk", flat=True)))
    return done


def _ranges(kind: Kind) -> "Iterator[models.QuerySet[Any]]":
    """Its rows, range by range of their keys, up to the last one that was there at the beginning."""
    keys = kind.rows().order_by("pk").values_list("pk", flat=True)
    last, end = keys.last(), None
    while end != last:
        after = Q() if end is None else Q(pk__gt=end)
        end = next(iter(keys.filter(after, pk__lte=last)[BATCH - 1 : BATCH]), last)
        yield kind.rows().filter(after, pk__lte=end)


def _named(kind: Kind, rows: "models.QuerySet[Any]") -> Iterator[str]:
    """The key of each value in these rows, by looking at all of them."""
    for stored in rows.order_by("pk").values_list(kind.column, flat=True):
        yield from _names(kind, stored)


def _counted(kind: Kind, rows: "models.QuerySet[Any]") -> Counter[str]:
    """How many of these rows each key has sealed, counted by the database; but for Fernet, which names no key."""
    found: Counter[str] = Counter()
    headed = _with_heads(kind, rows)
    for head, count in headed.order_by("head").values_list("head").annotate(models.Count("pk")):
        if says_its_key(bytes(head)):
            found[key_name_of(bytes(head))] += count
        else:
            found.update(_named(kind, headed.filter(head=head)))
    return found


def _with_heads(kind: Kind, rows: "models.QuerySet[Any]") -> "models.QuerySet[Any]":
    """Those that hold something, each with how that begins."""
    head = Substr(kind.column, 1, HEAD_BYTES, output_field=models.BinaryField())
    headed: models.QuerySet[Any] = rows.exclude(**{kind.column: b""}).annotate(head=head)
    return headed


def _names(kind: Kind, stored: Any) -> list[str]:
    try:
        return [key_name_of(sealed) for sealed in kind.sealed(stored)]
    except SecretUnreadable:
        return [""]


@transaction.atomic
def _reseal(kind: Kind, keys: Sequence[Any]) -> int:
    first, done = key_names()[0], 0
    free = kind.rows().filter(pk__in=keys).order_by("pk")
    held = free.select_for_update(skip_locked=True, no_key=True, of=("self",))
    for key, stored in list(held.values_list("pk", kind.column)):
        if set(_names(kind, stored)) <= {first}:
            continue
        try:
            changed = kind.resealed(stored)
        except SecretUnreadable:
            continue
        kind.model._default_manager.filter(pk=key).update(**{kind.column: changed})
        done += 1
    return done
