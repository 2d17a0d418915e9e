"""Whose call waits for an account for gas."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """One index. Source: docs/adr/0114."""

    atomic = False
    dependencies: ClassVar = [("chains", "0008_gas_accounts")]
    operations: ClassVar = [
        AddIndexMeanwhile(
            "authorizedcall",
            models.Index(
                fields=["account", "created_at"],
                condition=models.Q(nonce=None, ended_at=None),
                name="authorized_call_waits",
            ),
        ),
    ]
