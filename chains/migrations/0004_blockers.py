"""What holds a transfer up is called its blocker."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """State alone: the column keeps its name, so no statement is sent."""

    dependencies: ClassVar = [("chains", "0003_token_accounts")]
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("transfer", "hindrance", "blocker"),
                migrations.RenameField("transfer", "hindered_times", "blocked_times"),
                migrations.AlterField(
                    "transfer", "blocker", models.CharField(blank=True, db_column="hindrance", max_length=40)
                ),
                migrations.AlterField(
                    "transfer",
                    "blocked_times",
                    models.PositiveIntegerField(db_column="hindered_times", default=0),
                ),
            ]
        )
    ]
