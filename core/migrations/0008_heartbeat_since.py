"""Since when a worker has been alive without a silence."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """A column that programs of before leave empty."""

    dependencies: ClassVar = [("core", "0007_database_identity")]

    operations: ClassVar = [
        migrations.AddField(model_name="heartbeat", name="since", field=models.DateTimeField(null=True)),
    ]
