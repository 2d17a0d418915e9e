"""How far the checks of the invariants have come: the watermark of each, what it must look at again, and the walks."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """A table, and columns that checks of before leave empty: those read everything that there was."""

    dependencies: ClassVar = [("core", "0003_seals")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="InvariantWalk",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("started_at", models.DateTimeField()),
                ("held_until", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("covered_until", models.DateTimeField(blank=True, null=True)),
                ("table", models.CharField(blank=True, max_length=64)),
                ("after", models.CharField(blank=True, max_length=64)),
                ("found", models.PositiveIntegerField(default=0)),
                ("suspects", models.JSONField(default=list)),
            ],
        ),
        migrations.AddField("invariantcheck", "covered_until", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("invariantcheck", "suspects", models.JSONField(blank=True, null=True)),
    ]
