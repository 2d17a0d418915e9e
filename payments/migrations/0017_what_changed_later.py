"""What changes without a line of a history is found by when it did: arrivals that count or are lost, confirmed legs."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """Three partial indexes. None of them is written by a create."""

    atomic = False
    dependencies: ClassVar = [("payments", "0016_intent_expires")]

    operations: ClassVar = [
        AddIndexMeanwhile(
            "credit", models.Index(fields=["final_at"], condition=Q(final_at__isnull=False), name="credit_final")
        ),
        AddIndexMeanwhile(
            "credit",
            models.Index(fields=["reversed_at"], condition=Q(reversed_at__isnull=False), name="credit_reversed"),
        ),
        AddIndexMeanwhile(
            "leg",
            models.Index(fields=["confirmed_at"], condition=Q(confirmed_at__isnull=False), name="leg_confirmed"),
        ),
    ]
