"""A chain over the lines of an audit: who changes, removes or slips in a line that was sealed breaks every later seal.

Whoever can write every table can make the whole chain anew; so each seal is a line of the log too, kept elsewhere.
Source: docs/operators.md, Who can change the audits.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any, Final

from django.db import IntegrityError, models, transaction

from core.append_only import AppendOnlyModel
from core.clock import now
from core.models import AuditSeal

logger = logging.getLogger("causeway.audit")

SETTLED_AFTER: Final = timedelta(minutes=10)
"""How old a line is before it is sealed. Why: a transaction that runs yet may write one with a smaller number."""
LINES_A_SEAL, SEALS_A_ROUND = 1000, 50


def seal_lines(audit: type[AppendOnlyModel]) -> int:
    """Seal what nobody writes to any more, batch by batch; returns how many seals. Safe with any number of workers."""
    made = 0
    while made < SEALS_A_ROUND and _seal_next(audit):
        made += 1
    return made


def broken_seals(audit: type[AppendOnlyModel], seals: "models.QuerySet[AuditSeal]") -> Iterator[str]:
    """The first of these seals that is not over the lines that are there, in a sentence; it breaks all later ones.

    What was sealed before the first of them is taken as it was sealed then.
    """
    name = _name(audit)
    mine = seals.filter(audit=name).order_by("number")
    first = mine.first()
    if first is None:
        return
    before = _Edge(AuditSeal.objects.filter(audit=name, number__lt=first.number).order_by("-number").first())
    for seal in mine.iterator():
        rows = _rows(audit, seal.columns, before.last_line, seal.last_line)
        digest, count = _digest(before.digest, rows)
        if (seal.number, seal.lines, seal.digest) != (before.number + 1, count, digest):
            yield (
                f"lines {before.last_line + 1} to {seal.last_line} of {name} are not those that seal {seal.number} "
                f"of {seal.sealed_at:%Y-%m-%d %H:%M} is over: {seal.lines} lines then, {count} now"
            )
            return
        before = _Edge(seal)


class _Edge:
    """Where the chain ends so far."""

    def __init__(self, seal: AuditSeal | None = None) -> None:
        self.number = 0 if seal is None else seal.number
        self.last_line = 0 if seal is None else seal.last_line
        self.digest = "" if seal is None else seal.digest


def _seal_next(audit: type[AppendOnlyModel]) -> bool:
    name = _name(audit)
    edge = _Edge(AuditSeal.objects.filter(audit=name).order_by("-number").first())
    settled = _lines(audit).filter(pk__gt=edge.last_line, created_at__lte=now() - SETTLED_AFTER)
    keys = list(settled.order_by("pk").values_list("pk", flat=True)[:LINES_A_SEAL])
    if not keys:
        return False
    columns = [field.attname for field in audit._meta.concrete_fields]
    digest, count = _digest(edge.digest, _rows(audit, columns, edge.last_line, keys[-1]))
    seal = AuditSeal(
        audit=name, number=edge.number + 1, last_line=keys[-1], lines=count, columns=columns, digest=digest
    )
    try:
        with transaction.atomic():
            seal.save(force_insert=True)
    except IntegrityError:
        return False  # another worker was faster
    logger.info("audit_sealed audit=%s number=%s last_line=%s digest=%s", name, seal.number, seal.last_line, digest)
    return True


def _name(audit: type[AppendOnlyModel]) -> str:
    return str(audit._meta.db_table)


def _lines(audit: type[AppendOnlyModel]) -> "models.QuerySet[Any]":
    rows: models.QuerySet[Any] = audit._default_manager.all()
    return rows


def _rows(audit: type[AppendOnlyModel], columns: Sequence[str], after: int, last: int) -> Iterable[tuple[Any, ...]]:
    found = _lines(audit).filter(pk__gt=after, pk__lte=last).order_by("pk")
    return found.values_list(*columns).iterator(chunk_size=LINES_A_SEAL)


def _digest(before: str, rows: Iterable[tuple[Any, ...]]) -> tuple[str, int]:
    """The digest over these lines and all before them, and how many they are."""
    hashed, count = hashlib.sha256(before.encode()), 0
    for row in rows:
        hashed.update(json.dumps(row, default=str, sort_keys=True, ensure_ascii=True).encode() + b"\n")
        count += 1
    return hashed.hexdigest(), count
