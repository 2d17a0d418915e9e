"""What an agent wants done that a person must allow first."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models

from core.clock import now
from core.columns import OptionalBaseUnitsColumn, UsdColumn
from core.models import StatefulModel, TransitionRecord
from core.modes import Mode
from mcp.models.connections import AgentConnection
from merchants.models import Merchant
from merchants.querysets import ScopedManager
from payments.models import MAX_NAME, PaymentIntent


class ApprovalRequest(StatefulModel):
    """A refund or payout that does not exist until a person allows it.

    Source: docs/guides/agents.md, Limits and approvals.

    ``arguments`` are the tool's, already checked. ``subject_id`` is the refund or payout that was made of it.
    From ``destination`` to ``rail``: what would leave, as it was planned when it was asked for; nothing else is sent by
    it. A refund without a destination waits for one. What was asked for before these were kept has no ``base_units``.
    Source: docs/adr/0046.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    connection = models.ForeignKey(AgentConnection, on_delete=models.CASCADE, related_name="approvals")
    tool = models.CharField(max_length=40)
    intent = models.ForeignKey(PaymentIntent, on_delete=models.PROTECT, related_name="+")
    amount_usd = UsdColumn()
    destination = models.CharField(max_length=MAX_NAME, blank=True)
    chain = models.CharField(max_length=MAX_NAME, blank=True)
    token = models.CharField(max_length=MAX_NAME, blank=True)
    token_address = models.CharField(max_length=MAX_NAME, blank=True)
    token_decimals = models.PositiveSmallIntegerField(null=True)
    base_units = OptionalBaseUnitsColumn(null=True)
    rail = models.CharField(max_length=16, blank=True)
    arguments = models.JSONField(default=dict)
    idempotency_key = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    subject_id = models.UUIDField(null=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["connection", "tool", "idempotency_key"], name="one_approval_per_key")
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"approval {self.pk}: {self.tool} of {self.amount_usd}, {self.status}"


class ApprovalTransition(TransitionRecord):
    """An approval's history."""

    subject = models.ForeignKey(ApprovalRequest, on_delete=models.CASCADE, related_name="history")
