"""How far an owner was notified of a failing endpoint."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """State alone: the column keeps its name, so no statement is sent."""

    dependencies: ClassVar = [("webhooks", "0001_initial")]
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("webhookendpoint", "owner_told", "owner_notified"),
                migrations.AlterField(
                    "webhookendpoint",
                    "owner_notified",
                    models.PositiveSmallIntegerField(db_column="owner_told", default=0),
                ),
            ]
        )
    ]
