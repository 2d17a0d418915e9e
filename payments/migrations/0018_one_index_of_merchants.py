"""Payments by merchant alone are read by ``intent_list``, which begins with the merchant: one index less to write."""

from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models

NAME = "payments_paymentintent_merchant_id_9d324c66"
"""As Django names it on every database."""


def drop(apps: Any, editor: Any) -> None:
    """On PostgreSQL nobody waits. Why not Django's way: that checks every payment's merchant again."""
    kindly = "CONCURRENTLY" if editor.connection.vendor == "postgresql" else ""
    editor.execute(f"DROP INDEX {kindly} IF EXISTS {NAME}")


def bring_back(apps: Any, editor: Any) -> None:
    """As before."""
    kindly = "CONCURRENTLY" if editor.connection.vendor == "postgresql" else ""
    editor.execute(f"CREATE INDEX {kindly} {NAME} ON payments_paymentintent (merchant_id)")


class Migration(migrations.Migration):
    """In no transaction, as PostgreSQL has it."""

    atomic = False
    dependencies: ClassVar = [("payments", "0017_what_changed_later")]

    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(drop, bring_back)],
            state_operations=[
                migrations.AlterField(
                    "paymentintent",
                    "merchant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="merchants.merchant",
                    ),
                )
            ],
        )
    ]
