"""A live key's refund to an address that did not pay waits for a person, unless the merchant says otherwise."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two settings."""

    dependencies: ClassVar = [("refunds", "0002_claim_asked_from")]

    operations: ClassVar = [
        migrations.AddField("refundpolicy", "confirms_new_destinations", models.BooleanField(default=True)),
        migrations.AddField("refundpolicy", "destinations", models.JSONField(default=list)),
    ]
