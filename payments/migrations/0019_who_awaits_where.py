"""Who awaits payments at which address, so that each merchant has a share of what a chain is asked.

Why nothing is filled in: what was handed out before counts in nobody's share, and is over within a day or two.
"""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A table, empty."""

    dependencies: ClassVar = [
        ("chains", "0007_addresses_that_rest"),
        ("merchants", "0006_suspended"),
        ("payments", "0018_one_index_of_merchants"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="AwaitedBy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("awaited_until", models.DateTimeField()),
                ("turn_at", models.DateTimeField(null=True)),
                (
                    "merchant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="merchants.merchant",
                    ),
                ),
                (
                    "watched",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="awaited_by",
                        to="chains.watchedaddress",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["awaited_until"], name="awaited_by_end")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("watched", "merchant"), name="a_merchant_awaits_once_at_an_address"
                    )
                ],
            },
        ),
    ]
