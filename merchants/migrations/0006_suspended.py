"""When an operator stopped a merchant. Null for every merchant that is there."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """A column without a default: nothing is rewritten, and programs of before write rows without it."""

    dependencies: ClassVar = [("merchants", "0005_request_days")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="merchant", name="suspended_at", field=models.DateTimeField(blank=True, null=True)
        ),
    ]
