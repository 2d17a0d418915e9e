"""Mails that are to be sent: a row each, written with what they speak of."""

from typing import ClassVar

from django.db import models

from core.clock import now


class OutgoingMail(models.Model):
    """One mail. ``sealed`` is the message, encrypted because it may hold a link that lets somebody in; empty once sent.

    Due while ``next_attempt_at`` says so; None when it was sent or given up.
    """

    created_at = models.DateTimeField(default=now)
    sealed = models.BinaryField(default=bytes)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(default=now, null=True)
    sent_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["next_attempt_at"], name="mail_due", condition=models.Q(next_attempt_at__isnull=False)
            ),
            models.Index(fields=["created_at"], name="mail_by_age"),
        ]

    def __str__(self) -> str:
        """Which one, not to whom."""
        return f"mail {self.pk}"
