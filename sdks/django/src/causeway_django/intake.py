"""Takes an event once: its id, the row that it changes and what signals' receivers write, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db import IntegrityError, router, transaction

from causeway_django import signals
from causeway_django.facts import facts_of
from causeway_django.models import CLOSED, Followed, Payment, Payout, ReceivedEvent, Refund

Row = TypeVar("Row", bound=Followed)


def receive(event: Any) -> bool:
    """Take an event of the SDK that was verified. False where it was taken before.

    Raises: whatever a receiver of a signal raises; nothing of the event is kept then.
    """
    with transaction.atomic(using=router.db_for_write(ReceivedEvent)):
        if not _is_new(event):
            return False
        if (facts := facts_of(event)) is not None:
            _FAMILIES[event.resource.type](event, facts)
        signals.event_received.send(ReceivedEvent, event=event)
    return True


def _is_new(event: Any) -> bool:
    """Store its id. Why an insert comes first: two deliveries at once, and the second waits for the first."""
    row = ReceivedEvent(
        id=event.id,
        type=event.type,
        resource_type=event.resource.type,
        resource_id=event.resource.id,
        sequence=event.sequence,
        mode=event.mode,
        created_at=event.created_at,
    )
    try:
        with transaction.atomic(using=router.db_for_write(ReceivedEvent)):
            row.save(force_insert=True)
    except IntegrityError:
        return False
    return True


def _follow(model: type[Row], event: Any, facts: Any, columns: Mapping[str, Any]) -> tuple[Row, str] | None:
    """The row as the event has it, and its status before, empty for a new one. None for old news.

    Locks: the row, until the transaction ends. ``sequence`` counts per resource; after the service was put back from a
    backup two events may have the same one, and the later counts.
    """
    columns = {**columns, "mode": event.mode, "failure_reason": facts.failure_reason or ""}
    row, is_new = model._default_manager.select_for_update().get_or_create(
        id=event.resource.id, defaults={**columns, "status": facts.status}
    )
    before = "" if is_new else row.status
    if row.changed_at is not None and (event.sequence, event.created_at) <= (row.sequence, row.changed_at):
        return None
    for name, value in columns.items():
        setattr(row, name, value)
    row.status, row.sequence, row.changed_at = facts.status, event.sequence, event.created_at
    row.save()
    return row, before


def _follow_payment(event: Any, facts: Any) -> None:
    columns = {
        "reference": facts.reference or "",
        "amount": facts.amount,
        "amount_received": facts.amount_received,
        "currency": facts.currency,
        "metadata": json.loads(facts.to_json())["metadata"],
        "settled_at": facts.settled_at,
    }
    if (found := _follow(Payment, event, facts, columns)) is None:
        return
    payment, before = found
    signals.payment_changed.send(Payment, payment=payment, event=event)
    _announce(payment, before, event)


def _announce(payment: Payment, before: str, event: Any) -> None:
    """Send the signal of a status that was entered."""
    if payment.status == before:
        return
    if payment.is_paid and not payment.was_announced:
        payment.was_announced = True
        payment.save(update_fields=["was_announced"])
        signals.payment_settled.send(Payment, payment=payment, event=event)
    elif payment.is_paid:
        signals.payment_restored.send(Payment, payment=payment, event=event)
    elif payment.status in CLOSED:
        signals.payment_closed.send(Payment, payment=payment, event=event)
    elif payment.status == "refunded":
        signals.payment_refunded.send(Payment, payment=payment, event=event)
    elif before == "settled":
        signals.payment_reversed.send(Payment, payment=payment, event=event)


def _follow_refund(event: Any, facts: Any) -> None:
    columns = {
        "payment_id": facts.payment_intent_id,
        "amount": facts.amount_usd,
        "reason": facts.reason,
        "tx_hash": facts.tx_hash or "",
        "paid_at": facts.paid_at,
    }
    if (found := _follow(Refund, event, facts, columns)) is None:
        return
    refund, before = found
    signals.refund_changed.send(Refund, refund=refund, event=event)
    if refund.status != before and refund.status == "paid":
        signals.refund_paid.send(Refund, refund=refund, event=event)
    elif refund.status != before and refund.status in {"failed", "cancelled"}:
        signals.refund_failed.send(Refund, refund=refund, event=event)


def _follow_payout(event: Any, facts: Any) -> None:
    columns = {
        "payment_id": facts.payment_intent_id or "",
        "amount": facts.amount,
        "destination": facts.destination,
        "tx_hash": facts.tx_hash or "",
        "paid_at": facts.paid_at,
    }
    if (found := _follow(Payout, event, facts, columns)) is not None:
        signals.payout_changed.send(Payout, payout=found[0], event=event)


_FAMILIES: dict[str, Callable[[Any, Any], None]] = {
    "payment_intent": _follow_payment,
    "refund": _follow_refund,
    "payout": _follow_payout,
}
