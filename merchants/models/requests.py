"""What callers asked, for thirty days, redacted and written in batches; and what repeats of it are answered."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.clock import now
from core.modes import Mode
from merchants.querysets import ScopedManager

REFUSED = 400
"""Statuses from here on are refusals."""
BODY_LENGTH = 2048
QUERY_LENGTH = 500
PATH_LENGTH = 200


class RequestRecord(models.Model):
    """One answered request. ``object_id`` is the intent that it named or created.

    No foreign keys: a line outlives its key, and a batch is never refused because of one row.
    Few indexes: every call of the API writes into each. Source: docs/adr/0075.
    """

    created_at = models.DateTimeField()
    merchant_id = models.BigIntegerField()
    mode = models.CharField(max_length=4, choices=Mode.choices)
    key_id = models.BigIntegerField()
    method = models.CharField(max_length=8)
    path = models.CharField(max_length=PATH_LENGTH)
    query = models.CharField(max_length=QUERY_LENGTH, blank=True)
    route = models.CharField(max_length=80, blank=True)
    status = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=48, blank=True)
    duration_ms = models.PositiveIntegerField()
    request_id = models.CharField(max_length=40)
    object_id = models.UUIDField(null=True, blank=True)
    address = models.CharField(max_length=64, blank=True)
    user_agent = models.CharField(max_length=200, blank=True)
    body = models.TextField(blank=True)

    objects: ClassVar = ScopedManager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["merchant_id", "mode", "-id"], name="request_of_merchant"),
            models.Index(fields=["object_id", "-id"], name="request_of_object", condition=Q(object_id__isnull=False)),
            models.Index(fields=["request_id"], name="request_by_name"),
        ]

    def __str__(self) -> str:
        """Enough to recognise it."""
        return f"{self.method} {self.path} {self.status}"


class IdempotencyRecord(models.Model):
    """The answer that a caller's idempotency key stands for.

    ``scope`` keeps callers apart: ``m<merchant>:<mode>`` for a merchant, the same with ``:agent:<connection>`` for an
    agent of it, ``checkout:<intent>`` for a payer.
    ``answer`` is encrypted, because it may hold a webhook secret. Source: docs/adr/0004.
    """

    scope = models.CharField(max_length=64)
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    http_status = models.PositiveSmallIntegerField()
    answer = models.BinaryField()
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["scope", "key"], name="one_answer_per_idempotency_key"),
        ]

    def __str__(self) -> str:
        """Whose key it is, not what was answered."""
        return f"{self.scope} {self.key}"
