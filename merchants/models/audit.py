"""Who changed what of a merchant: a row each, never changed."""

from typing import ClassVar, Self

from django.db import models

from core.append_only import AppendOnlyModel, GrowsOnly
from core.clock import now
from core.modes import Mode
from merchants.principal import Principal
from merchants.querysets import MerchantScoped


class ChangeLines(GrowsOnly, MerchantScoped["Change"]):
    """Lines that can be read and added, across both modes: what concerns the whole merchant has no mode."""

    def visible_to(self, principal: Principal) -> Self:
        """The merchant's own lines, of the principal's mode and of none."""
        return self.filter(merchant_id=principal.merchant_id, mode__in=[principal.mode, ""])


class Change(AppendOnlyModel):
    """One line of a merchant's audit: who changed what, from what to what, from where. Kept for good.

    ``action`` is a dotted word, ``key.rolled``. ``before`` and ``after`` hold what may be shown: never a secret.
    No foreign keys: a line outlives what it speaks of. Refused to change here, and by a trigger.
    """

    created_at = models.DateTimeField(default=now)
    merchant_id = models.BigIntegerField()
    mode = models.CharField(max_length=4, choices=Mode.choices, blank=True)
    actor = models.CharField(max_length=80)
    action = models.CharField(max_length=48, db_column="deed")
    subject = models.CharField(max_length=128, blank=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    address = models.CharField(max_length=64, blank=True)
    user_agent = models.CharField(max_length=200, blank=True)
    request_id = models.CharField(max_length=40, blank=True)

    objects: ClassVar = models.Manager.from_queryset(ChangeLines)()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["merchant_id", "-id"], name="change_of_merchant"),
            models.Index(fields=["merchant_id", "actor", "-id"], name="change_by_actor"),
            models.Index(fields=["merchant_id", "action", "-id"], name="change_by_deed"),
            models.Index(fields=["merchant_id", "created_at"], name="change_by_time"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.action} by {self.actor}"
