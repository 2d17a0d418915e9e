"""When workers look for what settled of each merchant that is paid out at settlement."""

from typing import Any, ClassVar

from django.db import migrations, models

from core.clock import now


def look_at_all(apps: Any, editor: Any) -> None:
    """Have a look at every merchant that wants it. Why at once: what settled before was announced to nobody."""
    wanting = apps.get_model("payouts", "payoutpolicy").objects.using(editor.connection.alias)
    wanting.filter(at_settle_since__isnull=False).update(again_at=now())


class Migration(migrations.Migration):
    """A row for each merchant and mode, so this is short. Workers of before go on by the cursor, which stays."""

    dependencies: ClassVar = [("payouts", "0001_tables")]
    operations: ClassVar = [
        migrations.AddField("payoutpolicy", "look_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("payoutpolicy", "again_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddIndex(
            "payoutpolicy",
            models.Index(condition=models.Q(("look_at__isnull", False)), fields=["look_at"], name="payout_policy_due"),
        ),
        migrations.AddIndex(
            "payoutpolicy",
            models.Index(
                condition=models.Q(("again_at__isnull", False), ("look_at", None)),
                fields=["again_at"],
                name="payout_policy_rested",
            ),
        ),
        migrations.RunPython(look_at_all, migrations.RunPython.noop),
    ]
