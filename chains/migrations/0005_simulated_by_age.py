"""What the simulated chain showed long ago is forgotten, the oldest first."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """One index. Source: docs/adr/0083."""

    atomic = False
    dependencies: ClassVar = [("chains", "0004_blockers")]
    operations: ClassVar = [
        AddIndexMeanwhile("simulatedtransaction", models.Index(fields=["created_at"], name="simulated_by_age")),
    ]
