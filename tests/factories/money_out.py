"""Refunds, payouts and their transfers as they stand when all went well: histories, events and chain included.

Written by hand, row by row, so that the checker is tried on rows that no service wrote.
"""

import uuid
from decimal import Decimal
from typing import Any

from django.db import models

from chains.models import SigningAccount, SimulatedTransaction, Transfer, TransferAttempt, TransferTransition
from core.clock import now
from core.money import UsdAmount
from payments.models import PaymentIntent
from payouts.models import Payout, PayoutTransition
from refunds.models import Refund, RefundTransition
from webhooks.services import draft_event

DESTINATION = "0x52908400098527886E0F7030069857D2E4169EE7"
ACTORS = {"create": "key:test", "address": "key:test"}
"""Who takes a step, where no worker does."""
Step = tuple[str, str, str]
"""Trigger, the status that it leads to, and the event that tells of it, or nothing."""
REFUND_STEPS: tuple[Step, ...] = (
    ("create", "waiting", "refund.created"),
    ("address", "queued", ""),
    ("dispatch", "processing", "refund.processing"),
    ("pay", "paid", "refund.paid"),
)
PAYOUT_STEPS: tuple[Step, ...] = (
    ("create", "queued", "payout.created"),
    ("claim", "pending", ""),
    ("send", "processing", "payout.processing"),
    ("submit", "pending_provider", ""),
    ("pay", "paid", "payout.paid"),
)
DIRECT_STEPS: tuple[Step, ...] = (("create", "queued", "payout.created"), ("recognise", "paid", "payout.paid"))
TRANSFER_STEPS: tuple[Step, ...] = (
    ("create", "new", ""),
    ("sign", "signed", ""),
    ("broadcast", "broadcast", ""),
    ("include", "mined", ""),
    ("pay", "paid", ""),
)


def paid_refund(intent: PaymentIntent, **fields: Any) -> Refund:
    """A refund of the whole intent, sent and paid on the simulated chain; the intent says so itself."""
    facts = {**_money(intent), "amount_usd": intent.received_usd, "rail": "simulated", "status": "paid"}
    refund: Refund = Refund.objects.create(**facts | fields)
    tell(refund, "refund", RefundTransition, REFUND_STEPS)
    transfer = paid_transfer("refund", refund)
    Refund.objects.filter(pk=refund.pk).update(transfer=transfer, tx_hash=transfer.tx_hash, paid_at=now())
    PaymentIntent.objects.filter(pk=intent.pk).update(returned_usd=returned(intent))
    refund.refresh_from_db()
    return refund


def returned(intent: PaymentIntent) -> UsdAmount:
    """What goes back by all refunds of an intent that are not over unpaid."""
    living = Refund.objects.filter(intent=intent).exclude(status__in=["failed", "cancelled"])
    return UsdAmount(sum(living.values_list("amount_usd", flat=True), Decimal(0)))


def paid_payout(intent: PaymentIntent, **fields: Any) -> Payout:
    """A payout of the whole intent, sent and paid on the simulated chain."""
    facts = {**_money(intent), "amount_usd": intent.net_settlement_usd, "rail": "simulated", "status": "paid"}
    facts["destination"] = intent.settlement_address
    payout: Payout = Payout.objects.create(**facts | fields)
    if payout.rail == "direct":
        tell(payout, "payout", PayoutTransition, DIRECT_STEPS)
        return payout
    tell(payout, "payout", PayoutTransition, PAYOUT_STEPS)
    transfer = paid_transfer("payout", payout)
    Payout.objects.filter(pk=payout.pk).update(transfer=transfer, tx_hash=transfer.tx_hash, paid_at=now())
    payout.refresh_from_db()
    return payout


def paid_transfer(purpose: str, owner: Any, **fields: Any) -> Transfer:
    """A transfer that landed, as the simulated chain shows it."""
    transfer = transfer_row(purpose, owner, **fields)
    TransferAttempt.objects.create(transfer=transfer, sequence=1, raw=str(transfer.pk), tx_hash=transfer.tx_hash)
    landed(transfer)
    return transfer


def transfer_row(purpose: str, owner: Any, /, **fields: Any) -> Transfer:
    """The row and its history; nothing was signed and nothing landed."""
    facts = {
        "purpose": purpose, "purpose_id": owner.pk, "merchant_id": owner.merchant_id, "mode": owner.mode,
        "rail": "simulated", "network": "simulated", "chain": owner.chain, "token_address": owner.token_address,
        "token_decimals": owner.token_decimals, "recipient": owner.destination, "base_units": owner.base_units,
        "value_usd": owner.amount_usd, "tx_hash": f"0x{uuid.uuid4().hex * 2}", "status": "paid",
    }  # fmt: skip
    transfer: Transfer = Transfer.objects.create(**facts | fields)
    _history(transfer, TransferTransition, TRANSFER_STEPS)
    return transfer


def landed(transfer: Transfer, **fields: Any) -> SimulatedTransaction:
    """What the simulated chain shows of a transfer."""
    facts = {
        "owner": f"m{transfer.merchant_id}", "tag": f"{transfer.purpose}:{transfer.purpose_id}",
        "chain": transfer.chain, "tx_hash": transfer.tx_hash, "role": "whole", "behaviour": "settle", "sender": "0x01",
        "recipient": transfer.recipient, "token": transfer.token_address, "base_units": transfer.base_units,
        "lands_at": now(), "block_time": now(),
    }  # fmt: skip
    shown: SimulatedTransaction = SimulatedTransaction.objects.create(**facts | fields)
    return shown


def account(owner: Any, **fields: Any) -> SigningAccount:
    """An account of the owner's merchant on an EVM chain, whose next nonce is 12."""
    facts = {
        "merchant_id": owner.merchant_id, "mode": owner.mode, "network": "simulated", "chain": "base",
        "address": DESTINATION, "backend": "keystore", "key_reference": "one", "next_nonce": 12,
    }  # fmt: skip
    made: SigningAccount = SigningAccount.objects.create(**facts | fields)
    return made


def _money(intent: PaymentIntent) -> dict[str, Any]:
    return {
        "intent": intent, "merchant_id": intent.merchant_id, "mode": intent.mode,
        "base_units": intent.target_base_units, "chain": intent.settlement_chain, "token": intent.settlement_token,
        "token_address": intent.settlement_token_address, "token_decimals": intent.settlement_decimals,
        "destination": DESTINATION,
    }  # fmt: skip


def tell(row: Any, kind: str, record: type[models.Model], steps: tuple[Step, ...]) -> None:
    """The history of a row and the events of its steps."""
    _history(row, record, steps)
    told = [event for _, _, event in steps if event]
    for sequence, event in enumerate(told, start=1):
        draft_event(
            merchant_id=row.merchant_id,
            mode=row.mode,
            type=event,
            resource_type=kind,
            resource_id=row.pk,
            sequence=sequence,
            body={"id": str(row.pk)},
        ).save(force_insert=True)
    type(row).objects.filter(pk=row.pk).update(event_sequence=len(told))


def _history(row: Any, record: type[models.Model], steps: tuple[Step, ...]) -> None:
    status = ""
    for trigger, to, _ in steps:
        record._default_manager.create(
            subject=row, from_status=status, trigger=trigger, to_status=to, actor=ACTORS.get(trigger, "worker")
        )
        status = to
