"""The table of postings, which only grows, and how far rows of before were booked."""

import uuid
from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

import core.clock
import core.columns
from core.append_only import holding_whole, laying, letting_empty, lifting

TABLE = "ledger_posting"
ACCOUNTS = [
    *("expected", "received", "reserved", "refunded", "paid_out", "stray", "unattributed", "fees"),
    *("payments", "late", "beside", "other_funds", "owed"),
]


class Migration(migrations.Migration):
    """Two tables, and the triggers that refuse to change the first."""

    initial = True

    dependencies: ClassVar = [("merchants", "0006_suspended")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Opening",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("began_at", models.DateTimeField(default=core.clock.now)),
                ("after", models.UUIDField(default=uuid.UUID("00000000-0000-0000-0000-000000000000"))),
                ("passes", models.PositiveSmallIntegerField(default=0)),
                ("finished_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Posting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("entry", models.UUIDField()),
                ("mode", models.CharField(choices=[("test", "Test"), ("live", "Live")], max_length=4)),
                ("chain", models.CharField(max_length=128)),
                ("token_address", models.CharField(blank=True, max_length=128)),
                (
                    "account",
                    models.CharField(choices=[(one, one.replace("_", " ").title()) for one in ACCOUNTS], max_length=12),
                ),
                ("base_units", core.columns.BaseUnitsColumn()),
                ("amount_usd", core.columns.UsdColumn()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("booked", "Booked"),
                            ("changed", "Changed"),
                            ("reversed", "Reversed"),
                            ("opened", "Opened"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("credit", "Credit"),
                            ("leg", "Leg"),
                            ("refund", "Refund"),
                            ("payout", "Payout"),
                            ("intent", "Intent"),
                        ],
                        max_length=8,
                    ),
                ),
                ("source_id", models.CharField(max_length=36)),
                ("intent_id", models.UUIDField()),
                ("booked_at", models.DateTimeField(default=core.clock.now)),
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
                "indexes": [
                    models.Index(fields=["source", "source_id"], name="posting_of_source"),
                    models.Index(
                        fields=["merchant", "mode", "chain", "token_address", "booked_at", "id"],
                        name="posting_of_asset",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("account__in", ACCOUNTS)), name="posting_account_known")
                ],
            },
        ),
        migrations.RunPython(laying(TABLE), lifting(TABLE)),
        migrations.RunPython(holding_whole(TABLE), letting_empty(TABLE)),
    ]
