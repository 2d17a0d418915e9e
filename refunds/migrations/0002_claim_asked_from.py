"""From where a claim's text was asked for: each place may throw out its own alone."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """One column, empty for texts of before, which are good for ten minutes at most."""

    dependencies: ClassVar = [("refunds", "0001_tables")]

    operations: ClassVar = [
        migrations.AddField("refundclaim", "asked_from", models.CharField(blank=True, default="", max_length=64))
    ]
