"""Statements of each day, which only grow, and the days that were written."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

import core.clock
from core.append_only import holding_whole, laying, letting_empty, lifting

TABLE = "ledger_statement"


class Migration(migrations.Migration):
    """Two tables, and the triggers that refuse to change the second."""

    dependencies: ClassVar = [("ledger", "0001_initial"), ("merchants", "0006_suspended")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="StatementDay",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("last_posting", models.BigIntegerField(default=0)),
                ("written_at", models.DateTimeField(default=core.clock.now)),
            ],
        ),
        migrations.CreateModel(
            name="Statement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("mode", models.CharField(choices=[("test", "Test"), ("live", "Live")], max_length=4)),
                ("chain", models.CharField(max_length=128)),
                ("token_address", models.CharField(blank=True, max_length=128)),
                ("day", models.DateField()),
                ("document", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("key_id", models.CharField(blank=True, max_length=24)),
                ("signature", models.CharField(blank=True, max_length=128)),
                ("written_at", models.DateTimeField(default=core.clock.now)),
                (
                    "merchant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="merchants.merchant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("merchant", "mode", "chain", "token_address", "day"), name="one_statement_of_a_day"
                    )
                ],
            },
        ),
        migrations.RunPython(laying(TABLE), lifting(TABLE)),
        migrations.RunPython(holding_whole(TABLE), letting_empty(TABLE)),
    ]
