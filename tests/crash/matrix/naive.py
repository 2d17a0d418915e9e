"""Payouts as they are often dispatched, to prove that the matrix notices what is wrong with it.

It sends, then writes down, then tells, each by itself; every try has a new identity; and nobody claims anything.
Where nothing breaks and nobody works beside it, everything it leaves behind is as it must be.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import models, transaction

from chains import ledger
from chains.clients.simulated import SimulatedChain, SimulatedSend
from chains.models import Transfer
from core import transitions
from core.clock import now
from payouts.models import Payout
from payouts.services.transition import PAYOUT_LIFECYCLE, locked_payout

NAIVE_OPERATIONS = ("create payout", "send payout")
SENDER = "0x0000000000000000000000000000000000000001"


def replace_sweeps() -> None:
    current_app.tasks["payouts.sweep_due"].run = naive_sweep  # type: ignore[method-assign]  # that is the purpose


def naive_sweep() -> None:
    for payout_id in Payout.objects.filter(status="queued").values_list("pk", flat=True):
        naive_send(payout_id)


def naive_send(payout_id: UUID) -> None:
    """Send, then write it down: a crash in between sends twice. Write it down, then tell: in between nobody hears."""
    payout = Payout.objects.get(pk=payout_id)
    tx_hash = f"0x{secrets.token_hex(32)}"
    who: dict[str, Any] = {"owner": f"m{payout.merchant_id}", "tag": f"payout:{payout.pk}", "sender": SENDER}
    what = {"chain": payout.chain, "token": payout.token_address, "base_units": payout.base_units, "tx_hash": tx_hash}
    SimulatedChain().send(SimulatedSend(recipient=payout.destination, **who | what))
    naive_note(payout_id, tx_hash)
    naive_tell(payout_id)


@transaction.atomic
def naive_note(payout_id: UUID, tx_hash: str) -> None:
    payout = locked_payout(payout_id)
    silent = replace(PAYOUT_LIFECYCLE, announce=_tell_later)
    facts = {"tx_hash": tx_hash, "paid_at": now(), "next_attempt_at": None, "transfer": _as_paid(payout, tx_hash)}
    for trigger in ("claim", "send", "submit"):
        transitions.apply(silent, payout, trigger, actor="worker")
    transitions.apply(silent, payout, "pay", actor="worker", changes=facts)


@transaction.atomic
def naive_tell(payout_id: UUID) -> None:
    payout = locked_payout(payout_id)
    for event in ("payout.processing", "payout.paid"):
        transitions.announce_only(PAYOUT_LIFECYCLE, payout, event)


def _tell_later(_payout: Any, _event: str) -> Sequence[models.Model]:
    return ()


def _as_paid(payout: Payout, tx_hash: str) -> Transfer:
    transfer = Transfer(
        merchant_id=payout.merchant_id, mode=payout.mode, purpose="payout", purpose_id=payout.pk, rail="simulated",
        network="simulated", chain=payout.chain, token_address=payout.token_address,
        token_decimals=payout.token_decimals, recipient=payout.destination, base_units=payout.base_units,
        value_usd=payout.amount_usd,
    )  # fmt: skip
    ledger.open_transfer(transfer)
    for trigger in ("sign", "broadcast", "include"):
        ledger.advance(transfer, trigger, tx_hash=tx_hash)
    ledger.advance(transfer, "pay", paid_at=now())
    return transfer
