"""What is due at each endpoint, oldest first."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """One index. Source: docs/adr/0079."""

    atomic = False
    dependencies: ClassVar = [("webhooks", "0005_what_endpoints_can_take")]
    operations: ClassVar = [
        AddIndexMeanwhile(
            "delivery",
            models.Index(
                fields=["endpoint", "next_attempt_at", "id"],
                condition=models.Q(next_attempt_at__isnull=False),
                name="delivery_due_of_endpoint",
            ),
        ),
    ]
