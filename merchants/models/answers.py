"""Answers already given, by the idempotency key they stand for."""

from typing import ClassVar

from django.db import models

from core.clock import now


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
