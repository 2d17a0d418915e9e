"""What agents did with money: the rows that their limits are counted from."""

from typing import ClassVar

from django.db import models

from core.clock import now
from core.columns import UsdColumn
from core.modes import Mode
from mcp.models.connections import AgentConnection
from merchants.models import Merchant
from merchants.querysets import ScopedManager


class AgentEffect(models.Model):
    """One refund or payout that an agent made, written in the same transaction as that."""

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+")
    mode = models.CharField(max_length=4, choices=Mode.choices)
    connection = models.ForeignKey(AgentConnection, on_delete=models.CASCADE, related_name="effects")
    tool = models.CharField(max_length=40)
    amount_usd = UsdColumn()
    subject_id = models.UUIDField(null=True)
    created_at = models.DateTimeField(default=now)

    objects: ClassVar = ScopedManager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["connection", "created_at"], name="agent_effect_by_connection"),
            models.Index(fields=["merchant", "mode", "created_at"], name="agent_effect_by_merchant"),
            models.Index(fields=["subject_id"], name="agent_effect_by_subject"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.tool} of {self.amount_usd} by connection {self.connection_id}"
