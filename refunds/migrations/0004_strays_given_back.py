"""A refund may give a stray back in kind: no dollars, and each stray once."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """One column, and what holds for it."""

    dependencies: ClassVar = [("refunds", "0003_new_destinations"), ("payments", "0013_promised_strays")]

    operations: ClassVar = [
        migrations.AddField(
            "refund",
            "stray",
            models.ForeignKey(
                "payments.Credit", on_delete=models.deletion.PROTECT, null=True, related_name="given_back"
            ),
        ),
        migrations.RemoveConstraint("refund", "refund_amount_above_zero"),
        migrations.AddConstraint(
            "refund",
            models.CheckConstraint(
                condition=Q(stray=None, amount_usd__gt=0) | Q(stray__isnull=False, amount_usd=0),
                name="refund_amount_above_zero",
            ),
        ),
        migrations.AddConstraint(
            "refund",
            models.UniqueConstraint(
                fields=["stray"],
                condition=Q(stray__isnull=False) & ~Q(status__in=("failed", "cancelled")),
                name="a_stray_goes_back_once",
            ),
        ),
    ]
