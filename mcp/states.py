"""An approval's one machine. Data only."""

from django.db import models

from core.states import Machine, row


class ApprovalStatus(models.TextChoices):
    """Whether a person has decided, and how."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


A = ApprovalStatus

APPROVAL_MACHINE = Machine(
    name="approval",
    initial=A.PENDING,
    terminal=frozenset({A.APPROVED, A.DENIED, A.EXPIRED, A.WITHDRAWN}),
    transitions=(
        row("approve", [A.PENDING], A.APPROVED),
        row("deny", [A.PENDING], A.DENIED),
        row("expire", [A.PENDING], A.EXPIRED),
        row("withdraw", [A.PENDING], A.WITHDRAWN),
    ),
)
"""``withdraw``: its connection was revoked."""
