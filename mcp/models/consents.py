"""Which consent pages were answered."""

from django.db import models

from core.clock import now


class AnsweredConsent(models.Model):
    """One form of the consent page that was answered. Why a row: two answers at once must not both count."""

    nonce = models.CharField(primary_key=True, max_length=43)
    answered_at = models.DateTimeField(default=now, db_index=True)

    def __str__(self) -> str:
        """Its number."""
        return f"answered consent {self.nonce}"
