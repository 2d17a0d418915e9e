"""Each event gets a place in the one order of all events, from when it is fanned out on."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Cheap on a live table: no row is written. What was fanned out before gets its place by and by."""

    dependencies: ClassVar = [("webhooks", "0008_event_weeks")]
    operations: ClassVar = [
        migrations.AddField("event", "position", models.BigIntegerField(blank=True, null=True)),
        migrations.CreateModel(
            name="EventOrder",
            fields=[
                ("id", models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                ("last", models.BigIntegerField()),
                ("began", models.BigIntegerField()),
                ("past", models.BigIntegerField(default=0)),
                ("is_whole", models.BooleanField(default=False)),
            ],
        ),
    ]
