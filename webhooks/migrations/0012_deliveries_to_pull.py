"""What is to be fetched from each endpoint, the longest due first."""

from typing import ClassVar

from django.db import migrations, models

from core.indexes import AddIndexMeanwhile


class Migration(migrations.Migration):
    """One index, in which no delivery stands that is posted."""

    atomic = False
    dependencies: ClassVar = [("webhooks", "0011_endpoints_that_are_pulled")]
    operations: ClassVar = [
        AddIndexMeanwhile(
            "delivery",
            models.Index(
                fields=["endpoint", "pull_at", "id"],
                condition=models.Q(pull_at__isnull=False),
                name="delivery_to_pull",
            ),
        ),
    ]
