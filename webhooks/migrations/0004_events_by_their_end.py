"""What is kept no longer is found by when it ends, whoever's it is."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """One index. Source: docs/adr/0083."""

    atomic = False
    dependencies: ClassVar = [("webhooks", "0003_room_for_claims")]
    operations: ClassVar = [
        AddIndexMeanwhile("event", models.Index(fields=["kept_until"], name="event_by_its_end")),
    ]
