"""What nobody began to pay is found by when its time is over."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile

EXPIRES = models.Index(
    fields=["expires_due_at"],
    condition=models.Q(
        status__in=["created", "requires_payment", "quoted", "awaiting_signature"], expires_due_at__isnull=False
    ),
    name="intent_expires",
)


class Migration(migrations.Migration):
    """One index. Source: docs/adr/0080."""

    atomic = False
    dependencies: ClassVar = [("payments", "0015_queued_intents")]
    operations: ClassVar = [AddIndexMeanwhile("paymentintent", EXPIRES)]
