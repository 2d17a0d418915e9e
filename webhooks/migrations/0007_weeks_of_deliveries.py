"""Deliveries and attempts know when their event occurred, so that all three can lie together."""

from datetime import UTC, datetime
from typing import ClassVar

from django.db import migrations, models

UNKNOWN_WEEK = datetime(1970, 1, 1, tzinfo=UTC)


class Migration(migrations.Migration):
    """Cheap on a live table: no row is written. What code of before writes lies beside what it wrote."""

    dependencies: ClassVar = [("webhooks", "0006_due_of_endpoints")]
    operations: ClassVar = [
        migrations.AddField("delivery", "event_at", models.DateTimeField(db_default=UNKNOWN_WEEK)),
        migrations.AddField("deliveryattempt", "event_at", models.DateTimeField(db_default=UNKNOWN_WEEK)),
    ]
