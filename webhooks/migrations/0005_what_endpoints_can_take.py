"""What was learnt about endpoints: how many deliveries a slow one may hold, and until when a mute one rests."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Cheap on a live table: no row is written. Code of before names neither column."""

    dependencies: ClassVar = [("webhooks", "0004_events_by_their_end")]
    operations: ClassVar = [
        migrations.AddField("webhookendpoint", "places", models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField("webhookendpoint", "rests_until", models.DateTimeField(blank=True, null=True)),
    ]
