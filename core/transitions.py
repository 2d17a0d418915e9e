"""The only writer of any status: checks the table, writes the row, its history and its event together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import models

from core.bulk import insert_many, insert_together
from core.clock import now
from core.compiled import save_columns
from core.metrics import TRANSITIONS
from core.models import StatefulModel, TransitionRecord
from core.request_id import current_request_id
from core.states import Machine
from core.traces import traces

Row = TypeVar("Row", bound=models.Model)
Stateful = TypeVar("Stateful", bound=StatefulModel)
Rows = Callable[[], Sequence[models.Model]]
Announce = Callable[[Any, str], Sequence[models.Model]]
"""Builds, but does not save, the event rows that tell of a change; called with the row and the event's name."""


@dataclass(frozen=True, kw_only=True)
class Lifecycle:
    """How one kind of row lives: its table of transitions, its history, and how its changes are told."""

    machine: Machine
    record: type[TransitionRecord]
    announce: Announce


def locked(queryset: models.QuerySet[Row], **lookup: object) -> Row:
    """Read one row and hold its lock until the transaction ends.

    Raises: the model's DoesNotExist. Locks: the row itself, not what it joins.
    Why: SQLite has no row locks; there every write transaction is exclusive from its start.
    Why not its key: other rows that name it can be written meanwhile, as a chain's reader writes down what it found.
    """
    return for_update(queryset).get(**lookup)


def for_update(queryset: models.QuerySet[Row]) -> models.QuerySet[Row]:
    """Rows whose own locks are held, once they are read, as ``locked`` holds one's."""
    return queryset.select_for_update(of=("self",), no_key=True)


@dataclass(frozen=True, kw_only=True)
class Draft(Generic[Row]):
    """A new row in its first status, with its first history line and its event: written out, and not stored yet."""

    row: Row
    beside: Sequence[models.Model]

    def insert(self, *others: models.Model) -> None:
        """Store all of it at once, with others that must stand or fall with it. Raises: IntegrityError."""
        insert_together([self.row, *self.beside, *others])


def drafted(lifecycle: Lifecycle, row: Stateful, *, actor: str) -> Draft[Stateful]:
    """A new row put into the machine's initial status, with what tells of it."""
    row.status = lifecycle.machine.initial
    history = _history(lifecycle, row, came_from="", trigger="create", actor=actor)
    return Draft(row=row, beside=[history, *_event_rows(lifecycle, row, lifecycle.machine.initial_event)])


def initial(lifecycle: Lifecycle, row: StatefulModel, *, actor: str, beside: Rows = tuple) -> None:
    """Insert a new row in the machine's initial status, its first history line and its event, at once.

    ``beside``: what is stored with it, as it is by then.
    """
    draft = drafted(lifecycle, row, actor=actor)
    draft.insert(*beside())


def apply(  # noqa: PLR0913 - what is written, each by its name
    lifecycle: Lifecycle,
    row: StatefulModel,
    trigger: str,
    *,
    actor: str,
    reason: str = "",
    changes: Mapping[str, Any] | None = None,
    beside: Rows = tuple,
) -> None:
    """Move a row by one trigger: status, ``changes``, history line and event in the caller's transaction.

    ``beside``: what is stored with its history line, once the row is as it will be.
    Raises: InvalidTransition when the table has no such row; then nothing is written.
    Locks: the caller holds the row's lock.
    """
    step = lifecycle.machine.find(row.status, trigger)
    before = row.status
    row.status = step.target
    for name, value in (changes or {}).items():
        setattr(row, name, value)
    history = _history(lifecycle, row, came_from=before, trigger=trigger, actor=actor, reason=reason)
    events = _event_rows(lifecycle, row, step.event)
    save_columns(row, ["status", "event_sequence", *(changes or {})])
    insert_together([history, *events, *beside()])
    TRANSITIONS.add(row._meta.db_table, row.status)
    traces.happened(trigger, row.status)


def apply_to_many(
    lifecycle: Lifecycle,
    rows: Sequence[StatefulModel],
    trigger: str,
    *,
    actor: str,
    changes: Mapping[str, Any] | None = None,
) -> None:
    """Move many rows of one table by one trigger, as ``apply`` moves each of them, in a few statements for all.

    ``changes`` are the same for each. Raises: as ``apply``, for any of them. Locks: the caller holds all rows' locks.
    """
    steps = [lifecycle.machine.find(row.status, trigger) for row in rows]
    lines: list[models.Model] = []
    alike: dict[tuple[str, int], list[StatefulModel]] = {}
    for row, step in zip(rows, steps, strict=True):
        before = row.status
        row.status = step.target
        for name, value in (changes or {}).items():
            setattr(row, name, value)
        lines.append(_history(lifecycle, row, came_from=before, trigger=trigger, actor=actor))
        lines += _event_rows(lifecycle, row, step.event)
        alike.setdefault((step.target, row.event_sequence), []).append(row)
    for (target, sequence), some in alike.items():
        moved = type(some[0])._default_manager.filter(pk__among=[row.pk for row in some])
        moved.update(status=target, event_sequence=sequence, **(changes or {}))
        TRANSITIONS.add(some[0]._meta.db_table, target, amount=len(some))
    insert_many(lines)


def announce_only(lifecycle: Lifecycle, row: StatefulModel, event: str) -> None:
    """Tell of something that happened to a row without changing its status.

    Locks: the caller holds the row's lock.
    """
    events = lifecycle.announce(row, event)
    save_columns(row, ["event_sequence"])
    insert_together(list(events))


def move(machine: Machine, row: StatefulModel, trigger: str, changes: Mapping[str, Any] | None = None) -> None:
    """Move a part of a larger thing by one trigger; its owner's history and events tell the story.

    Raises: InvalidTransition. Locks: the caller holds the owner's lock.
    """
    row.status = machine.find(row.status, trigger).target
    for name, value in (changes or {}).items():
        setattr(row, name, value)
    save_columns(row, ["status", *(changes or {})])


def _event_rows(lifecycle: Lifecycle, row: StatefulModel, event: str | None) -> Sequence[models.Model]:
    return lifecycle.announce(row, event) if event else ()


def _history(
    lifecycle: Lifecycle, row: StatefulModel, *, came_from: str, trigger: str, actor: str, reason: str = ""
) -> TransitionRecord:
    line = lifecycle.record(
        from_status=came_from,
        trigger=trigger,
        to_status=row.status,
        actor=actor,
        reason=reason[:200],
        request_id=current_request_id(),
        created_at=now(),
    )
    line.subject = row  # type: ignore[attr-defined]  # declared by each concrete record, with its own type
    return line
