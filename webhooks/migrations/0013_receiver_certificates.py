"""What a battery of tests said of an endpoint's receiver."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

import core.clock


class Migration(migrations.Migration):
    """A new table, in which nothing stands yet."""

    dependencies: ClassVar = [
        ("merchants", "0001_initial"),
        ("webhooks", "0012_deliveries_to_pull"),
    ]
    operations: ClassVar = [
        migrations.CreateModel(
            name="ReceiverCertificate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("mode", models.CharField(choices=[("test", "Test"), ("live", "Live")], max_length=4)),
                ("requested_at", models.DateTimeField(default=core.clock.now)),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("url", models.CharField(blank=True, max_length=2048)),
                ("checks", models.JSONField(default=list)),
                (
                    "endpoint",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="certificate",
                        to="webhooks.webhookendpoint",
                    ),
                ),
                (
                    "merchant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="merchants.merchant",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="certificate_due"
                    )
                ],
            },
        ),
    ]
