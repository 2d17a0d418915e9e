"""Money that the service makes move: who signs, what was ordered, and every transaction that was signed for it.

The merchant is named by its model's label: ``chains`` imports nothing of ``merchants``.
"""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from chains.states import ENDED_UNPAID, TransferStatus
from core.clock import now
from core.columns import BaseUnitsColumn, OptionalBaseUnitsColumn, UsdColumn
from core.models import StatefulModel, TransitionRecord
from core.modes import Mode
from core.money import ZERO_USD

MAX_NAME = 128


class SigningAccount(models.Model):
    """An address on one chain whose key signs transfers of one merchant in one mode; the merchant funds it.

    ``key_reference`` is the name by which ``backend`` finds the key, never the key. ``next_nonce`` is the one that
    the next transfer takes, empty until it was read from the chain. Caps are 0, so that nothing is sent, until
    somebody sets them. A retired one never signs again, and another may stand in its place. Source: docs/signing.md,
    Enrol an account.
    """

    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=32)
    address = models.CharField(max_length=MAX_NAME)
    backend = models.CharField(max_length=16)
    key_reference = models.CharField(max_length=200)
    next_nonce = models.BigIntegerField(null=True, blank=True)
    final_nonce = models.BigIntegerField(null=True, blank=True)
    cap_per_transfer_usd = UsdColumn(default=ZERO_USD)
    cap_per_day_usd = UsdColumn(default=ZERO_USD)
    allowed_destinations = models.JSONField(default=list, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_reason = models.CharField(max_length=40, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["network", "chain", "address"], name="one_account_per_address"),
            models.UniqueConstraint(
                fields=["merchant", "mode", "chain"],
                condition=Q(retired_at__isnull=True),
                name="one_signing_account_per_chain",
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.address} on {self.chain}"


class Transfer(StatefulModel):
    """One movement of money that is to land exactly once.

    ``purpose`` and ``purpose_id`` name what it is for; ``round`` counts on when an earlier one ended unpaid.
    ``blocker`` says why nothing goes on at the moment, ``failure`` why it ended unpaid. ``sender`` is the account's
    address, or the wallet that the merchant registered for it. ``offer`` is what that wallet is given to sign, and
    ``hint`` the hash that it told. ``behaviour`` scripts the simulated chain. ``withdrawn_at``: it shall not land any
    more, if that can still be had. Blocks from ``start_block`` on count; up to ``scanned_block`` were searched.
    ``past`` is what was seen, and said by a person, of its having been sent before: ``maybe`` and ``others`` hold
    hashes, ``paid_by`` one that a person called this payment, ``unpaid_at`` when a person said that it was not made.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    purpose = models.CharField(max_length=12)
    purpose_id = models.UUIDField()
    round = models.PositiveIntegerField(default=1)
    rail = models.CharField(max_length=16)
    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=MAX_NAME)
    token_address = models.CharField(max_length=MAX_NAME)
    token_decimals = models.PositiveSmallIntegerField()
    recipient = models.CharField(max_length=MAX_NAME)
    base_units = BaseUnitsColumn()
    value_usd = UsdColumn()
    account = models.ForeignKey(SigningAccount, on_delete=models.PROTECT, null=True, related_name="transfers")
    sender = models.CharField(max_length=MAX_NAME, blank=True)
    nonce = models.BigIntegerField(null=True)
    behaviour = models.CharField(max_length=24, blank=True)
    offer = models.JSONField(default=dict)
    offered_at = models.DateTimeField(null=True)
    past = models.JSONField(default=dict)
    hint = models.CharField(max_length=128, blank=True)
    start_block = models.BigIntegerField(null=True)
    scanned_block = models.BigIntegerField(null=True)
    tx_hash = models.CharField(max_length=128, blank=True)
    block_number = models.BigIntegerField(null=True)
    block_hash = models.CharField(max_length=128, blank=True)
    blocker = models.CharField(max_length=40, blank=True, db_column="hindrance")
    blocked_times = models.PositiveIntegerField(default=0, db_column="hindered_times")
    failure = models.CharField(max_length=40, blank=True)
    withdrawn_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=now)
    updated_at = models.DateTimeField(default=now)
    paid_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=TransferStatus.values), name="transfer_status_known"),
            models.UniqueConstraint(fields=["purpose", "purpose_id", "round"], name="transfer_rounds_are_numbered"),
            models.UniqueConstraint(
                fields=["purpose", "purpose_id"],
                condition=~Q(status__in=ENDED_UNPAID),
                name="one_living_transfer_per_purpose",
            ),
            models.UniqueConstraint(
                fields=["account", "nonce"], condition=Q(nonce__isnull=False), name="one_transfer_per_nonce"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["account", "created_at"], name="transfer_by_account"),
            models.Index(fields=["tx_hash"], condition=~Q(tx_hash=""), name="transfer_by_hash"),
            models.Index(fields=["chain", "blocker"], condition=~Q(blocker=""), name="transfer_blocked"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.purpose} {self.purpose_id} {self.status}"


class TransferTransition(TransitionRecord):
    """One line of a transfer's history."""

    subject = models.ForeignKey(Transfer, on_delete=models.CASCADE, related_name="history")


class AttemptKind(models.TextChoices):
    """What a signed transaction does: it pays, or it only takes the nonce so that nothing else of ours can."""

    PAY = "pay"
    NOOP = "noop"


class TransferAttempt(models.Model):
    """One signed transaction, stored before any node hears of it.

    ``raw`` is what is sent: hexadecimal on EVM chains, base64 on Solana. All attempts of an EVM transfer share its
    nonce; a Solana one is dead once a finalized block is past ``last_valid_height`` and nobody has its signature.
    """

    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT, related_name="attempts")
    sequence = models.PositiveIntegerField()
    kind = models.CharField(max_length=4, choices=AttemptKind.choices, default=AttemptKind.PAY)
    raw = models.TextField()
    tx_hash = models.CharField(max_length=128, unique=True)
    gas_limit = models.BigIntegerField(null=True)
    max_fee = OptionalBaseUnitsColumn(null=True)
    priority_fee = OptionalBaseUnitsColumn(null=True)
    blockhash = models.CharField(max_length=64, blank=True)
    last_valid_height = models.BigIntegerField(null=True)
    first_broadcast_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering: ClassVar = ["sequence"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["transfer", "sequence"], name="transfer_attempts_are_numbered"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.kind} {self.sequence} of {self.transfer_id}"
