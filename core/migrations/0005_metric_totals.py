"""What all processes count together, for Prometheus."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """A table."""

    dependencies: ClassVar = [("core", "0004_invariant_watermarks")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="MetricTotal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=64)),
                ("labels", models.CharField(max_length=120)),
                ("total", models.BigIntegerField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=["name", "labels"], name="one_total_of_each_series")],
            },
        ),
    ]
