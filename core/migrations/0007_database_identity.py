"""Which database this is, so that a copy that was put back sees that it is one."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """A table of one row."""

    dependencies: ClassVar = [("core", "0006_pause")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="DatabaseIdentity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("system", models.CharField(max_length=20)),
                ("database", models.BigIntegerField()),
                ("timeline", models.BigIntegerField()),
                ("target", models.CharField(blank=True, max_length=200)),
            ],
        ),
    ]
