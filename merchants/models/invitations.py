"""Who was asked into a team."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from core.clock import now
from merchants.models.people import Merchant, Role


class Invitation(models.Model):
    """One address asked to join with a role. Of the link only a digest is kept; sending it again makes a new one.

    Open until it is accepted, withdrawn, or past ``expires_at``.
    """

    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=16, choices=Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["merchant", "email"],
                condition=models.Q(accepted_at=None, withdrawn_at=None),
                name="one_open_invitation_per_address",
            ),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="invitation_role_known"),
        ]

    def __str__(self) -> str:
        """Who was asked to be what, by number."""
        return f"invitation {self.pk} to be {self.role} of merchant {self.merchant_id}"
