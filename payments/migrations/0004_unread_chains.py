"""Which chains did not tell in time what a wallet holds, and how often it was looked into."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two columns."""

    dependencies: ClassVar = [("payments", "0003_wallets_of_what_is_over")]

    operations: ClassVar = [
        migrations.AddField("payerwallet", "unread", models.JSONField(default=list)),
        migrations.AddField("payerwallet", "looks", models.PositiveSmallIntegerField(default=0)),
    ]
