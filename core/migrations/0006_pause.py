"""What a person has stopped for the whole service."""

from typing import ClassVar

from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    """A table."""

    dependencies: ClassVar = [("core", "0005_metric_totals")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Pause",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=16)),
                ("reason", models.CharField(max_length=200)),
                ("since", models.DateTimeField(default=core.clock.now)),
                ("by", models.CharField(max_length=80)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("ended_by", models.CharField(blank=True, max_length=80)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)), fields=("kind",), name="one_pause_of_a_kind"
                    )
                ],
            },
        ),
    ]
