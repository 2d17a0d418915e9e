"""What audits held, batch by batch, each seal over the one before."""

from typing import ClassVar

from django.db import migrations, models

import core.clock
from core.append_only import holding_whole, laying, letting_empty, lifting


class Migration(migrations.Migration):
    """A table that only grows."""

    dependencies: ClassVar = [("core", "0002_cache")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="AuditSeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("audit", models.CharField(max_length=64)),
                ("number", models.PositiveIntegerField()),
                ("last_line", models.BigIntegerField()),
                ("lines", models.PositiveIntegerField()),
                ("columns", models.JSONField()),
                ("digest", models.CharField(max_length=64)),
                ("sealed_at", models.DateTimeField(default=core.clock.now)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("audit", "number"), name="audit_seals_are_numbered"),
                ],
            },
        ),
        migrations.RunPython(laying("core_auditseal"), lifting("core_auditseal")),
        migrations.RunPython(holding_whole("core_auditseal"), letting_empty("core_auditseal")),
    ]
