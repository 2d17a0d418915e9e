"""What can not be true, one thing at a time, planted into rows that are as they must be."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import connection
from django.db.models import F
from eth_account import Account
from eth_utils.address import to_checksum_address

from chains.models import SigningAccount, SimulatedTransaction, Transfer, TransferAttempt, TransferTransition
from core.clock import now
from core.models import AuditSeal, Heartbeat
from core.money import usd
from core.secrets import encrypt
from mcp.models import AgentEffect, ApprovalRequest
from merchants.models import IdempotencyRecord
from merchants.services import NewMerchant
from payments.models import IntentTransition, PaymentIntent, QueuedIntent
from payouts.models import Payout, PayoutTransition
from refunds.models import Refund, RefundTransition
from tests.crash.conftest import shop  # noqa: F401 - a fixture
from tests.factories.money_out import account, landed, transfer_row
from tests.factories.payments import credit
from tests.mcp.charter.stories import connected
from tests.operations import planted_books, planted_receipts
from tests.races.shop import Shop
from webhooks.models import Delivery, Event, SigningSecret, Subscription


@dataclass(frozen=True)
class World:
    """Two settled intents of one merchant: one paid back, one paid out; and an event that somebody wanted."""

    shop: Shop
    refund: Refund
    payout: Payout
    other: NewMerchant
    began: datetime
    """Before anything of it was made."""

    @property
    def kept(self) -> PaymentIntent:
        return _intent_of(self.payout)


def _intent_of(row: Refund | Payout) -> PaymentIntent:
    return PaymentIntent.objects.get(pk=str(row.intent_id))


Plant = Callable[[World], object]


def change(rows: Any, **fields: Any) -> int:
    changed: int = rows.update(**fields)
    assert changed, "nothing was planted"
    return changed


def signed_by(world: World, *, units: int = 25_000_000, nonce: int = 11, **fields: Any) -> Transfer:
    """A transfer by an EVM account, with one transaction signed by a real library."""
    token, recipient = world.payout.token_address, world.payout.destination
    data = "0xa9059cbb" + recipient[2:].lower().rjust(64, "0") + f"{units:064x}"
    wallet = Account.create()
    signed = wallet.sign_transaction(
        {"type": 2, "chainId": 8453, "nonce": nonce, "to": to_checksum_address(token), "value": 0, "data": data}
        | {"gas": 60_000, "maxFeePerGas": 10**9, "maxPriorityFeePerGas": 10**6}
    )
    facts = {"rail": "evm", "account": account(world.payout), "nonce": 11, "purpose": "test", "base_units": 25_000_000}
    transfer = transfer_row("payout", world.payout, **facts | fields)
    raw, tx_hash = signed.raw_transaction.to_0x_hex(), transfer.tx_hash
    TransferAttempt.objects.create(transfer=transfer, sequence=1, raw=raw, tx_hash=tx_hash)
    return transfer


def _second_solana_attempt(world: World, *, lapsed: bool, height: int) -> None:
    transfer = transfer_row("payout", world.payout, rail="solana", purpose="test", chain="solana")
    first, second = f"{transfer.pk}1", f"{transfer.pk}2"
    TransferAttempt.objects.create(transfer=transfer, sequence=1, raw="", tx_hash=first, last_valid_height=100)
    if lapsed:
        TransferTransition.objects.create(subject=transfer, trigger="lapse", to_status="new", actor="worker")
    TransferAttempt.objects.create(transfer=transfer, sequence=2, raw="", tx_hash=second, last_valid_height=height)
    change(Transfer.objects.filter(pk=transfer.pk), tx_hash=second)


def _living_twice(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX one_living_transfer_per_purpose")
    transfer_row("refund", world.refund, round=2)


def _gap(world: World, *nonces: int) -> None:
    held = account(world.payout, next_nonce=max(nonces) + 1)
    for nonce in nonces:
        transfer_row("payout", world.payout, purpose="test", purpose_id=uuid4(), account=held, nonce=nonce)


def _nonce_again(world: World) -> None:
    _gap(world, 11)
    change(SigningAccount.objects.all(), next_nonce=11)


def _one(rows: Any) -> Any:
    """Only the first of the rows, so that it can be updated."""
    return rows.model.objects.filter(pk=rows.values_list("pk", flat=True)[0])


def _broken_promise(world: World) -> None:
    answer = encrypt(json.dumps({"id": str(uuid4()), "amount_usd": 5}).encode())
    moment = now()
    IdempotencyRecord.objects.create(
        scope="s", key="k", fingerprint="f", http_status=201, answer=answer, created_at=moment, expires_at=moment
    )


def _late_worker(world: World) -> None:
    Heartbeat.objects.create(name="money", at=now())
    change(Payout.objects.filter(pk=world.payout.pk), status="queued", next_attempt_at=now() - timedelta(seconds=121))


def _kept(world: World) -> Any:
    return PaymentIntent.objects.filter(pk=world.kept.pk)


def _forgotten(world: World) -> None:
    QueuedIntent.objects.filter(pk=world.kept.pk).delete()
    change(_kept(world), status="quoted")


def _misplaced(world: World) -> None:
    moment = now()
    place = {"due_at": moment, "listed_at": moment, "is_over": False}
    QueuedIntent.objects.update_or_create(intent=world.kept, defaults=place)


def _left_over(world: World) -> None:
    Heartbeat.objects.create(name="money", at=now())
    QueuedIntent.objects.filter(pk=world.kept.pk).delete()
    change(_kept(world), status="created", expires_due_at=now() - timedelta(seconds=121))


def _again(world: World) -> None:
    """The refund is sent a second time under another identity, as a naive dispatcher does."""
    landed(Transfer.objects.get(purpose_id=world.refund.pk), tx_hash="0x02")


def _leg_twice(world: World) -> None:
    row = SimulatedTransaction.objects.filter(role="whole").exclude(tag__contains=":").first()
    assert row is not None
    row.pk, row.tx_hash = None, "0x02"
    row.save(force_insert=True)


def _other_case(world: World) -> None:
    first = world.kept.credits.get()
    written = first.tx_hash.upper().replace("0X", "0x")
    credit(world.kept, 0, tx_hash=written, kind=first.kind, position=first.position, block_time=first.block_time)


def rows_of_payout(world: World) -> Any:
    return Payout.objects.filter(pk=world.payout.pk)


def rows_of_refund(world: World) -> Any:
    return Refund.objects.filter(pk=world.refund.pk)


def _of_transfer(world: World) -> Any:
    return Transfer.objects.filter(purpose_id=world.payout.pk)


def _agents_own(world: World) -> AgentEffect:
    agent = connected(world.shop.principal)
    rows_of_payout(world).update(created_by=agent.actor)
    effect: AgentEffect = AgentEffect.objects.create(
        merchant_id=agent.merchant_id, mode=agent.mode, connection=agent, tool="create_payout",
        amount_usd=usd("25"), subject_id=world.payout.pk,
    )  # fmt: skip
    return effect


def _allowed_for_nothing(world: World) -> None:
    agent = connected(world.shop.principal)
    ApprovalRequest.objects.create(
        merchant_id=agent.merchant_id, mode=agent.mode, connection=agent, tool="create_payout", intent=world.kept,
        amount_usd=usd("25"), idempotency_key="k", expires_at=now(), status="approved",
    )  # fmt: skip


def changed(rows: Any, **fields: Any) -> Plant:
    """A plant that changes these rows, or those of the world."""
    return lambda world: change(rows(world) if callable(rows) else rows, **fields)


def _forgotten_delivery(_: World) -> object:
    change(Subscription.objects.all(), valid_from=F("valid_from") - timedelta(seconds=5))
    return _one(Delivery.objects.all()).delete()


def _unwanted_delivery(_: World) -> object:
    first = Event.objects.order_by("occurred_at", "pk")[0].occurred_at
    return change(Subscription.objects.all(), valid_to=first - timedelta(seconds=5))


REFUND_TOLD, PAYOUT_TOLD = (Event.objects.filter(type=name) for name in ("refund.paid", "payout.paid"))
PLANTS: dict[str, Plant] = {
    **planted_books.PLANTS,
    **planted_receipts.PLANTS,
    "I2 refund .* has 2 transfers that landed or may land": _living_twice,
    "I2 transfer .* is round 2 though the one before is not over": lambda world: transfer_row(
        "refund", world.refund, round=2, status="failed"
    ),
    "I2 transfer .* is paid by 0x03, which was never signed for it": changed(_of_transfer, tx_hash="0x03"),
    "I2 attempt 1 of transfer .* has the nonce 12, its transfer 11": lambda world: signed_by(world, nonce=12),
    "I2 attempt 1 of transfer .* pays something else than was ordered": lambda world: signed_by(
        world, units=25_000_001
    ),
    "I2 attempt 1 of transfer .* holds bytes that cannot be read: broken encoding": changed(
        lambda world: TransferAttempt.objects.filter(transfer=signed_by(world)), raw="0x02f8"
    ),
    "I2 transfer .* was signed again while attempt 1 could land": lambda world: _second_solana_attempt(
        world, lapsed=False, height=200
    ),
    "I2 attempt 2 of transfer .* does not outlive the one before": lambda world: _second_solana_attempt(
        world, lapsed=True, height=100
    ),
    "I2 leg .* was sent 2 times": _leg_twice,
    "I2 refund:.* landed 2 times on the chain": _again,
    "I2 payout .* is paid by 0 transfers that landed": changed(_of_transfer, status="reverted"),
    "I14 payout .* wanted .* landed": changed(_of_transfer, recipient="0x04"),
    "I2 refund .* is failed while its transfer is paid": changed(rows_of_refund, status="failed"),
    "I3 chain event .* credited 2 times": _other_case,
    "I4 intent .* went from executing by created>settled": changed(
        IntentTransition.objects.filter(to_status="settled"), from_status="created"
    ),
    "I4 refund .* went from queued by queued>paid": changed(
        RefundTransition.objects.filter(trigger="dispatch"), to_status="paid"
    ),
    "I4 payout .* is queued, its history ends in paid": lambda world: change(
        rows_of_payout(world), status="queued", next_attempt_at=now()
    ),
    "I4 transfer .* went from signed by new>broadcast": changed(
        TransferTransition.objects.filter(trigger="broadcast"), from_status="new"
    ),
    "I5 refund .* told .* its history says": changed(REFUND_TOLD, type="refund.missing_destination"),
    "I5 payout .* told payout.paid 2 times": changed(
        Event.objects.filter(type="payout.processing"), type="payout.paid"
    ),
    r"I5 payout .* numbered its events \[1, 2, 9\]": changed(PAYOUT_TOLD, sequence=9),
    "I5 event .* of refund .* carries the envelope": changed(REFUND_TOLD, type="refund.failed"),
    "I6 event .* went to set.*, wanted by": _forgotten_delivery,
    "I6 event .* went to .*, wanted by set": _unwanted_delivery,
    "I6 delivery .* is delivered after": changed(
        lambda world: _one(Delivery.objects.all()), outcome="delivered", next_attempt_at=None
    ),
    "I7 refund .* is processing and nobody will look at it": changed(rows_of_refund, status="processing"),
    "I7 transfer .* is broadcast, and its payout is over or does not exist": changed(_of_transfer, status="broadcast"),
    "I7 payout .* is due since .* and nobody looked at it": _late_worker,
    "I7 intent .* is quoted and nobody will look at it": _forgotten,
    "I7 intent .* is settled and waits among those that are not over": _misplaced,
    "I7 intent .* is over since .* and nobody ended it": _left_over,
    "I8 key k answers with Refund .* does not exist": _broken_promise,
    "I9/I10 Refund .* and its intent have two owners": lambda world: change(
        rows_of_refund(world), merchant_id=world.other.merchant.pk
    ),
    "I9/I10 transfer .* and its payout have two owners": changed(_of_transfer, mode="live"),
    "I9/I10 event .* belongs to .* its refund to": lambda world: change(
        REFUND_TOLD, merchant_id=world.other.merchant.pk
    ),
    "I9 transfer .* of test mode goes by the rail evm": changed(_of_transfer, rail="evm"),
    "I11 payout .* was moved by pay and nobody": changed(PayoutTransition.objects.filter(trigger="pay"), actor=""),
    "I13 signing secret .* is stored in the clear": changed(SigningSecret.objects.all(), ciphertext=b"whsec_plain"),
    "I14 transfer .* is paid, and the chain does not show it": lambda world: SimulatedTransaction.objects.filter(
        tag=f"payout:{world.payout.pk}"
    ).delete(),
    "I2 transfer of payout:.* is called failed, and the chain shows it paid": changed(_of_transfer, status="failed"),
    r"I16 .* has the gaps \[12\] below 13": lambda world: _gap(world, 11, 13),
    "I16 .* would give nonce 11 a second time": _nonce_again,
    "I17 effect .* is of nothing that exists": lambda world: change(
        AgentEffect.objects.filter(pk=_agents_own(world).pk), subject_id=uuid4()
    ),
    "I17 approval .* is approved and made None": _allowed_for_nothing,
    "lines 1 to 3 of merchants_change are not those that seal 1": lambda world: AuditSeal.objects.create(
        audit="merchants_change", number=1, last_line=3, lines=9, columns=["id"], digest="0" * 64
    ),
}
"""By the sentence that must say so. What the catalogue of ``tests.invariants_plants`` has is not here again."""
