"""A stray that a refund gives back says so: nothing else may count it from then on."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """One column."""

    dependencies: ClassVar = [("payments", "0012_hints")]

    operations: ClassVar = [migrations.AddField("credit", "promised_at", models.DateTimeField(null=True))]
