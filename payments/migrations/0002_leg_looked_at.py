"""When a leg's chain was last asked about it: older legs take turns."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """One column, empty at first."""

    dependencies: ClassVar = [("payments", "0001_tables")]

    operations: ClassVar = [migrations.AddField("leg", "looked_at", models.DateTimeField(null=True))]
