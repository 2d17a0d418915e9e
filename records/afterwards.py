"""What happened to a payment's money and its news after it came: refunds, payouts, what we signed, and deliveries."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar
from uuid import UUID

from chains.models import TransferAttempt
from core.clock import wire_time
from core.models import TransitionRecord
from core.money import to_decimal_string
from payments.models import PaymentIntent
from payouts.models import Payout, PayoutTransition
from payouts.states import PayoutStatus
from records.chain import Entry
from refunds.models import Refund, RefundTransition
from refunds.states import RefundStatus
from webhooks.models import DeliveryAttempt, Event

MOST: Final = 1000
"""Lines of one kind. Why: an endpoint that is sent to again and again must not make a record of any size."""


def step_of(line: TransitionRecord) -> dict[str, Any]:
    """One line of a history. Why the kind of who acted alone: who it was is nobody else's business."""
    by = line.actor.partition(":")[0]
    return {"from": line.from_status, "to": line.to_status, "by": by, "reason": line.reason, "request": line.request_id}


def of_refunds(intent: PaymentIntent) -> Iterator[Entry]:
    """Each step of each refund, and each transaction that was signed for one."""
    rows = {row.pk: row for row in intent.refunds.order_by("created_at", "id")[:MOST]}
    if not rows:
        return
    lines = RefundTransition.objects.filter(subject__in=rows).order_by("id")[:MOST]
    for number, line in _numbered(lines):
        row = rows[line.subject_id]
        facts = {**_sent(row, to=line.to_status, paid=RefundStatus.PAID), **step_of(line), "reason": row.reason}
        yield Entry(wire_time(line.created_at), f"refund.{line.trigger}", f"refund {row.pk} {number}", facts)
    yield from _signed("refund", list(rows))


def of_payouts(intent: PaymentIntent) -> Iterator[Entry]:
    """Each step of each payout, and each transaction that was signed for one."""
    rows = {row.pk: row for row in intent.payouts.order_by("created_at", "id")[:MOST]}
    if not rows:
        return
    lines = PayoutTransition.objects.filter(subject__in=rows).order_by("id")[:MOST]
    for number, line in _numbered(lines):
        row = rows[line.subject_id]
        facts = {**_sent(row, to=line.to_status, paid=PayoutStatus.PAID), **step_of(line)}
        yield Entry(wire_time(line.created_at), f"payout.{line.trigger}", f"payout {row.pk} {number}", facts)
    yield from _signed("payout", list(rows))


Line = TypeVar("Line", RefundTransition, PayoutTransition)


def _numbered(lines: Iterable[Line]) -> Iterator[tuple[int, Line]]:
    """Each line with its place in its row's own history. Why: those of two rows may be committed in any order."""
    counted: Counter[UUID] = Counter()
    for line in lines:
        counted[line.subject_id] += 1
        yield counted[line.subject_id], line


def _sent(row: Refund | Payout, *, to: str, paid: str) -> dict[str, Any]:
    """Why the hash only where it is paid: before, it may be that of a transaction that never lands."""
    words = ("chain", "token", "token_address", "destination", "rail")
    return {
        "id": str(row.pk),
        **{name: getattr(row, name) for name in words},
        "amount_usd": to_decimal_string(row.amount_usd),
        "base_units": str(row.base_units),
        "tx_hash": row.tx_hash if to == paid else "",
    }


def _signed(purpose: str, keys: list[UUID]) -> Iterator[Entry]:
    """What was signed, by the digest of its bytes, stored before any node heard of it."""
    made = TransferAttempt.objects.filter(transfer__purpose=purpose, transfer__purpose_id__in=keys)
    for one in made.select_related("transfer").order_by("id")[:MOST]:
        facts = {
            "for": purpose,
            "id": str(one.transfer.purpose_id),
            "chain": one.transfer.chain,
            "sender": one.transfer.sender,
            "recipient": one.transfer.recipient,
            "base_units": str(one.transfer.base_units),
            "kind": one.kind,
            "tx_hash": one.tx_hash,
            "signed_sha256": hashlib.sha256(one.raw.encode()).hexdigest(),
        }
        yield Entry(wire_time(one.created_at), "transfer.signed", f"signed {one.transfer.chain} {one.tx_hash}", facts)


def of_deliveries(intent: PaymentIntent) -> Iterator[Entry]:
    """Each attempt to deliver news of the payment, as long as it is kept."""
    events = {row.pk: row for row in Event.objects.filter(resource_id=intent.pk).only("type", "occurred_at")}
    if not events:
        return
    earliest = min(event.occurred_at for event in events.values())  # leaves out the partitions of earlier weeks
    tries = DeliveryAttempt.objects.filter(delivery__event__in=events, event_at__gte=earliest)
    shown = tries.order_by("at", "id").values_list(
        "at", "number", "response_status", "error", "delivery_id", "delivery__event_id", "delivery__endpoint_id"
    )
    for at, number, status, error, delivery, event, endpoint in shown[:MOST]:
        facts = {
            "event": event,
            "event_type": events[event].type,
            "endpoint": str(endpoint),
            "attempt": number,
            "response_status": status,
            "error": error,
        }
        yield Entry(wire_time(at), "delivery.attempt", f"delivery {delivery} {number}", facts)
