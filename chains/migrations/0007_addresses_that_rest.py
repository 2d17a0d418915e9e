"""Addresses that each block is asked about, and those that rest, are found without reading all others."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """Indexes, made while all is written as before."""

    atomic = False
    dependencies: ClassVar = [("chains", "0006_transfers_blocked")]

    operations: ClassVar = [
        AddIndexMeanwhile(
            "watchedaddress",
            models.Index(fields=["network", "chain"], condition=models.Q(read_at=None), name="address_followed"),
        ),
        AddIndexMeanwhile(
            "watchedaddress",
            models.Index(
                fields=["network", "chain", "read_to"],
                condition=models.Q(read_at__isnull=False, final_at=None),
                name="address_resting",
            ),
        ),
        AddIndexMeanwhile(
            "watchedaddress",
            models.Index(
                fields=["network", "chain", "final_at"],
                condition=models.Q(final_at__isnull=False),
                name="address_slow",
            ),
        ),
    ]
