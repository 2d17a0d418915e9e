"""What agents did and were refused, and what people granted them: a row each, never changed."""

from typing import ClassVar

from django.db import models

from core.append_only import AppendOnlyModel, GrowsOnly
from core.clock import now
from core.modes import Mode
from merchants.querysets import MerchantScoped


class AppendOnly(GrowsOnly, MerchantScoped["AgentRecord"]):
    """Lines that can be read and added."""


class AuditAction(models.TextChoices):
    """What kind of thing happened."""

    CALL = "call"
    CONSENT = "consent"
    STEP_UP = "step_up"
    REFUSAL = "refusal"
    REVOCATION = "revocation"
    CHANGE = "change"
    DECISION = "decision"


class AgentRecord(AppendOnlyModel):
    """One line of the agents' audit. Source: docs/adr/0024.

    Append-only: refused here, and by a trigger in the database (0005). Kept for good: nothing of ours removes a line.

    ``outcome`` is ``ok``, ``tool_error`` or ``denied``. ``arguments`` are redacted; ``arguments_digest`` tells equal
    calls apart from others. No foreign keys: a line outlives what it speaks of.
    """

    created_at = models.DateTimeField(default=now)
    merchant_id = models.BigIntegerField(null=True)
    mode = models.CharField(max_length=4, choices=Mode.choices, blank=True)
    connection_id = models.BigIntegerField(null=True)
    user_id = models.BigIntegerField(null=True)
    client_id = models.CharField(max_length=255, blank=True)
    client_name = models.CharField(max_length=255, blank=True)
    action = models.CharField(max_length=12, choices=AuditAction.choices, db_column="deed")
    tool = models.CharField(max_length=40, blank=True)
    arguments = models.JSONField(default=dict)
    arguments_digest = models.CharField(max_length=64, blank=True)
    idempotency_key = models.CharField(max_length=255, blank=True)
    outcome = models.CharField(max_length=12)
    code = models.CharField(max_length=60, blank=True)
    object_ids = models.JSONField(default=list)
    latency_ms = models.PositiveIntegerField(null=True)
    address = models.CharField(max_length=64, blank=True)
    user_agent = models.CharField(max_length=200, blank=True)
    protocol_version = models.CharField(max_length=20, blank=True)
    request_id = models.CharField(max_length=40, blank=True)
    actor = models.CharField(max_length=80, blank=True)

    objects: ClassVar = models.Manager.from_queryset(AppendOnly)()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["merchant_id", "mode", "-id"], name="agent_record_by_merchant"),
            models.Index(fields=["connection_id", "-id"], name="agent_record_by_connection"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.action} {self.tool} by connection {self.connection_id}: {self.outcome}"
