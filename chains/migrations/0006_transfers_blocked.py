"""Transfers that wait for something are counted, and nothing else is read for it."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """An index of few rows."""

    atomic = False
    dependencies: ClassVar = [("chains", "0005_simulated_by_age")]

    operations: ClassVar = [
        AddIndexMeanwhile(
            "transfer",
            models.Index(fields=["chain", "blocker"], condition=~models.Q(blocker=""), name="transfer_blocked"),
        ),
    ]
