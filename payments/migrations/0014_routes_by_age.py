"""Routes that were weighed are forgotten, the oldest first."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """One index. Source: docs/adr/0083."""

    atomic = False
    dependencies: ClassVar = [("payments", "0013_promised_strays")]
    operations: ClassVar = [
        AddIndexMeanwhile("routecandidate", models.Index(fields=["created_at"], name="route_by_age")),
    ]
