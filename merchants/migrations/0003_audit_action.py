"""What was done is called an action."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """State alone: the column keeps its name, so no statement is sent."""

    dependencies: ClassVar = [("merchants", "0002_audit_is_not_emptied")]
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex("change", "change_by_deed"),
                migrations.RenameField("change", "deed", "action"),
                migrations.AlterField("change", "action", models.CharField(db_column="deed", max_length=48)),
                migrations.AddIndex(
                    "change", models.Index(fields=["merchant_id", "action", "-id"], name="change_by_deed")
                ),
            ]
        )
    ]
