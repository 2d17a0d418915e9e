"""I4, I5 and I11: histories are paths, and each step is announced once, in its order, without a gap.

Audits are histories too, and hold what was sealed of them, line by line.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import models

from chains.models import Transfer, TransferTransition
from core.clock import now
from core.models import AuditSeal
from core.modes import Mode
from core.seals import broken_seals
from operations.audits import AUDITS
from operations.invariants.paths import INTENT, PAYOUT, REFUND, TRANSFER, Path
from operations.invariants.scope import Scope
from payments.models import IntentTransition, PaymentIntent
from payouts.models import Payout, PayoutTransition
from refunds.models import Refund, RefundTransition
from webhooks.models import Event

EVENTS_KEPT = timedelta(days=29)
"""A day less than they are kept. Source: docs/guides/webhooks.md, Delivery."""


class Subject(NamedTuple):
    """A table whose rows have a status, the table of their histories, and the path."""

    name: str
    model: type[models.Model]
    record: type[models.Model]
    path: Path


SUBJECTS = (
    Subject("intent", PaymentIntent, IntentTransition, INTENT),
    Subject("refund", Refund, RefundTransition, REFUND),
    Subject("payout", Payout, PayoutTransition, PAYOUT),
    Subject("transfer", Transfer, TransferTransition, TRANSFER),
)


def each_history_is_a_path(scope: Scope) -> Iterator[str]:
    """I4: every history starts at the beginning, follows allowed steps, and ends where the row is."""
    for subject in SUBJECTS:
        for batch in scope.batches(subject.model):
            histories = _histories(subject, batch)
            for row in batch:
                yield from _wrong_path(subject, row, histories[row.pk])


def _wrong_path(subject: Subject, row: Any, history: Sequence[Any]) -> Iterator[str]:
    status = ""
    for line in history:
        if line.from_status != status or line.to_status not in subject.path.steps.get(status, ()):
            yield f"I4 {subject.name} {row.pk} went from {status} by {line.from_status}>{line.to_status}"
        status = line.to_status
    if status != row.status:
        yield f"I4 {subject.name} {row.pk} is {row.status}, its history ends in {status}"


def each_step_has_an_actor(scope: Scope) -> Iterator[str]:
    """I11: every line of a history says who did it."""
    for subject in SUBJECTS:
        nameless = subject.record._default_manager.filter(actor="")
        rows = nameless.filter(subject__in=scope.rows(subject.model)).values_list("subject_id", "trigger")
        yield from (f"I11 {subject.name} {pk} was moved by {trigger} and nobody" for pk, trigger in rows.iterator())


def each_step_is_announced_once(scope: Scope) -> Iterator[str]:
    """I5: the events of a row are those of its history, in its order, numbered without a gap.

    Why not of old rows: their events may have been purged by now.
    """
    kept = now() - EVENTS_KEPT
    scope = replace(scope, since=kept if scope.since is None else max(kept, scope.since))
    for subject in SUBJECTS:
        if not subject.path.events:
            continue
        for batch in scope.batches(subject.model):
            histories = _histories(subject, batch)
            events: dict[Any, list[Event]] = defaultdict(list)
            for event in Event.objects.filter(resource_id__in=[row.pk for row in batch]).order_by("sequence", "pk"):
                events[event.resource_id].append(event)
            for row in batch:
                yield from _wrong_story(subject, row, histories[row.pk], events[row.pk])


def _wrong_story(subject: Subject, row: Any, history: Sequence[Any], events: Sequence[Event]) -> Iterator[str]:
    path = subject.path
    steps = [path.event_of(line.from_status, line.trigger, line.to_status) for line in history]
    expected = [event for event in steps if event is not None]
    announced = [event.type for event in events if event.type not in path.aside]
    first = 1
    # A test clock brings the purge nearer and moves no other date: it may have ended what came before these. Of a story
    # that is gone to its last event nothing is left to see that by.
    if row.mode == Mode.TEST and (not events or events[0].kept_until - events[0].occurred_at < EVENTS_KEPT):
        expected = expected[len(expected) - len(announced) :]
        first = row.event_sequence - len(events) + 1
    if announced != expected:
        yield f"I5 {subject.name} {row.pk} told {announced}, its history says {expected}"
    numbers = [event.sequence for event in events]
    if numbers != list(range(first, row.event_sequence + 1)):
        yield f"I5 {subject.name} {row.pk} numbered its events {numbers}, and counts {row.event_sequence}"
    # What ends a story for good is announced once, even where its path may be gone twice.
    for ending in ("payment_intent.settled", "payment_intent.refunded", "refund.paid", "payout.paid"):
        if announced.count(ending) > 1:
            yield f"I5 {subject.name} {row.pk} told {ending} {announced.count(ending)} times"
    for event in events:
        envelope = json.loads(event.payload)
        named = (envelope["id"], envelope["type"], envelope["sequence"], envelope["data"]["id"], envelope["mode"])
        if named != (event.pk, event.type, event.sequence, str(row.pk), row.mode):
            yield f"I5 event {event.pk} of {subject.name} {row.pk} carries the envelope {named}"


def no_event_tells_of_another_tenant(scope: Scope) -> Iterator[str]:
    """I9 and I10: an event belongs to the merchant and the mode of what it tells of."""
    for batch in scope.batches(Event, made="occurred_at"):
        for subject in SUBJECTS:
            rows = subject.model._default_manager.filter(pk__in=[event.resource_id for event in batch])
            owners = {pk: owner for pk, *owner in rows.values_list("pk", "merchant_id", "mode")}
            for event in batch:
                mine, its = [event.merchant_id, event.mode], owners.get(event.resource_id)
                if its is not None and its != mine:
                    yield f"I9/I10 event {event.pk} belongs to {mine}, its {subject.name} to {its}"


def _histories(subject: Subject, batch: Sequence[Any]) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = defaultdict(list)
    for line in subject.record._default_manager.filter(subject__in=batch).order_by("id"):
        found[line.subject_id].append(line)  # type: ignore[attr-defined]  # declared by each record
    return found


def audits_are_as_they_were_sealed(scope: Scope) -> Iterator[str]:
    """Nobody changed, removed or slipped in a line. Why of no one merchant: a seal is over everybody's lines."""
    if scope.merchant_id is None and scope.since is None:
        for audit in AUDITS:
            yield from broken_seals(audit, scope.of_piece(AuditSeal))
