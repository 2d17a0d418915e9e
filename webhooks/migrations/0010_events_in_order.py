"""Events are read in their order, and those without a place are found."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """Two indexes. No row of a new event stands in either until it is fanned out. Source: docs/adr/0104."""

    atomic = False
    dependencies: ClassVar = [("webhooks", "0009_places_of_events")]
    operations: ClassVar = [
        AddIndexMeanwhile(
            "event",
            models.Index(
                fields=["merchant", "mode", "position"],
                condition=models.Q(position__isnull=False),
                name="event_in_order",
            ),
        ),
        AddIndexMeanwhile(
            "event",
            models.Index(
                fields=["occurred_at"],
                condition=models.Q(fanned_out_at__isnull=False, position=None),
                name="event_without_place",
            ),
        ),
    ]
