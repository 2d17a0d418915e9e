"""Calls that the service sends for a payer, who only signed: who pays their gas, and every one that was sent.

The merchant is named by its model's label: ``chains`` imports nothing of ``merchants``.
"""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.columns import BaseUnitsColumn, OptionalBaseUnitsColumn

MAX_NAME = 128
GAS = "gas:"
"""How the kind of a pause begins that stops one gas account; its chain follows."""


class GasAccount(models.Model):
    """An address of the operator's on one chain that holds coins for gas and nothing else, and whose key sends calls.

    ``key_reference`` is the name by which ``backend`` finds the key, never the key. ``coin_balance``: what it held at
    ``read_at``, and ``call_cost`` what a call could cost then, both in the coin's base units. Source: docs/signing.md.
    """

    network = models.CharField(max_length=12)
    chain = models.CharField(max_length=32)
    address = models.CharField(max_length=MAX_NAME)
    backend = models.CharField(max_length=16)
    key_reference = models.CharField(max_length=200)
    coin_balance = OptionalBaseUnitsColumn(null=True)
    call_cost = OptionalBaseUnitsColumn(null=True)
    read_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["network", "chain"], name="one_gas_account_of_a_chain"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.address} on {self.chain}"

    @property
    def pause_kind(self) -> str:
        """As what it is paused alone (``core.pauses``)."""
        return f"{GAS}{self.chain}"

    @property
    def calls_left(self) -> int | None:
        """How many calls it could still pay when it was last read; None where nobody has read it."""
        return None if self.coin_balance is None or not self.call_cost else self.coin_balance // self.call_cost


class AuthorizedCall(models.Model):
    """One call of ``transferWithAuthorization`` that an account sends: from holder to recipient, and never over us.

    The key is that of what it pays (a leg). ``nonce`` is the account's, ``authorization_nonce`` the token's.
    ``acted_at``: when its nonce was written down, or it was signed last. ``outcome`` says how it ended; whether money
    moved is read from the chain by whoever is paid, never here.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT, related_name="+")
    intent_id = models.UUIDField()
    account = models.ForeignKey(GasAccount, on_delete=models.PROTECT, related_name="calls")
    token_address = models.CharField(max_length=MAX_NAME)
    holder = models.CharField(max_length=MAX_NAME)
    recipient = models.CharField(max_length=MAX_NAME)
    base_units = BaseUnitsColumn()
    valid_after = models.BigIntegerField()
    valid_before = models.BigIntegerField()
    authorization_nonce = models.CharField(max_length=66)
    signature = models.TextField()
    nonce = models.BigIntegerField(null=True)
    gas_limit = models.PositiveIntegerField(null=True)
    max_fee = OptionalBaseUnitsColumn(null=True)
    priority_fee = OptionalBaseUnitsColumn(null=True)
    raw = models.TextField(blank=True)
    tx_hashes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=now)
    acted_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["account"],
                condition=Q(nonce__isnull=False, ended_at=None),
                name="one_call_of_a_gas_account_at_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["intent_id"], name="authorized_call_of_intent"),
            models.Index(fields=["merchant", "created_at"], name="authorized_call_by_age"),
            models.Index(
                fields=["account", "created_at"], condition=Q(nonce=None, ended_at=None), name="authorized_call_waits"
            ),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"authorized call {self.pk} {self.outcome}"
