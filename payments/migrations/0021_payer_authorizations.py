"""What payers' wallets signed for the service to send: of a token, a wallet and a nonce one, ever."""

from typing import ClassVar

import core.clock
import core.columns
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A table, empty."""

    dependencies: ClassVar = [
        ("merchants", "0006_suspended"),
        ("payments", "0020_what_became_of_routes"),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name="PayerAuthorization",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("mode", models.CharField(choices=[("test", "Test"), ("live", "Live")], max_length=4)),
                ("network", models.CharField(max_length=12)),
                ("chain", models.CharField(max_length=128)),
                ("token_address", models.CharField(max_length=128)),
                ("payer_address", models.CharField(max_length=128)),
                ("recipient", models.CharField(max_length=128)),
                ("nonce", models.CharField(max_length=66)),
                ("base_units", core.columns.BaseUnitsColumn()),
                ("valid_after", models.BigIntegerField()),
                ("valid_before", models.BigIntegerField()),
                ("signature", models.TextField()),
                ("refused", models.CharField(blank=True, max_length=40)),
                ("created_at", models.DateTimeField(default=core.clock.now)),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="authorization",
                        to="payments.paymentattempt",
                    ),
                ),
                (
                    "merchant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="merchants.merchant"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("network", "chain", "token_address", "payer_address", "nonce"),
                        name="an_authorization_is_taken_once",
                    )
                ],
            },
        ),
    ]
