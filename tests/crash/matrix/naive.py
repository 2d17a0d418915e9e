"""Refunds and payouts as they are often dispatched, to prove that the matrix notices what is wrong with it.

It sends, then writes down, then tells, each by itself; every try has a new identity; and nobody claims anything.
"""

import secrets
from typing import Any

from celery import current_app
from django.db import transaction

from chains.clients.simulated import SimulatedChain, SimulatedSend
from payouts.models import Payout
from refunds.models import Refund
from webhooks.services import draft_event

NAIVE_OPERATIONS = ("send refund", "send payout")
OPEN = {"refund": (Refund, ("queued", "processing")), "payout": (Payout, ("queued", "pending", "processing"))}


def replace_sweeps() -> None:
    """Put the naive dispatcher in the place of both sweeps."""
    for purpose in OPEN:
        current_app.tasks[f"{purpose}s.sweep_due"].run = _sweep_of(purpose)


def _sweep_of(purpose: str) -> Any:
    def sweep() -> None:
        model, statuses = OPEN[purpose]
        for row in model.objects.filter(status__in=statuses):
            naive_send(purpose, row)

    return sweep


def naive_send(purpose: str, row: Any) -> None:
    """Send, then write it down: a crash in between sends twice. Write it down, then tell: in between nobody hears."""
    tx_hash = f"0x{secrets.token_hex(32)}"
    SimulatedChain().send(
        SimulatedSend(
            owner=f"m{row.merchant_id}",
            tag=f"{purpose}:{row.pk}",
            chain=row.chain,
            tx_hash=tx_hash,
            sender="0x01",
            recipient=row.destination,
            token=row.token_address,
            base_units=row.base_units,
        )
    )
    naive_note(row, tx_hash)
    naive_tell(purpose, row)


@transaction.atomic
def naive_note(row: Any, tx_hash: str) -> None:
    """Write down that it was sent, and hope."""
    type(row).objects.filter(pk=row.pk).update(status="paid", tx_hash=tx_hash, next_attempt_at=None)


@transaction.atomic
def naive_tell(purpose: str, row: Any) -> None:
    """Tell, in a transaction of its own."""
    fresh = type(row).objects.get(pk=row.pk)
    draft_event(
        merchant_id=row.merchant_id,
        mode=row.mode,
        type=f"{purpose}.paid",
        resource_type=purpose,
        resource_id=row.pk,
        sequence=fresh.event_sequence + 1,
        body={"id": str(row.pk)},
    ).save(force_insert=True)
    type(row).objects.filter(pk=row.pk).update(event_sequence=fresh.event_sequence + 1)
