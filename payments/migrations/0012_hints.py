"""What is reported of legs' transactions becomes rows. Those that legs in flight follow are written down."""

from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

from core.clock import now

BATCH = 500
WHO, FOUND = ("browser", "wallet", "link", "simulated_payer"), "found"
WHAT = ("", FOUND, "foreign", "reverted", "lost", "replaced", "unreadable")
FLYING = ("submitted", "confirming", "in_doubt")


def keep_reports(apps: Any, editor: Any) -> None:
    """A row for each hash that a leg follows: found where it was sent, open where it was not seen yet.

    Why none where the service sends it, or where it failed on chain: nobody reported the one, and the other is over.
    """
    alias = editor.connection.alias
    legs = apps.get_model("payments", "Leg").objects.using(alias)
    hints = apps.get_model("payments", "Hint").objects.using(alias)
    unsent = Q(status="awaiting_signature") | (Q(status="failed") & ~Q(error="reverted"))
    told = legs.filter(unsent | Q(status__in=FLYING), signed_transaction="").exclude(tx_hash="")
    rows = told.select_related("attempt").defer("issued", "answer").order_by("pk").iterator(BATCH)
    hints.bulk_create([hints.model(**_report(leg)) for leg in rows], batch_size=BATCH)


def _report(leg: Any) -> dict[str, Any]:
    is_found = leg.status in FLYING
    return {
        "leg_id": leg.pk,
        "tx_hash": leg.tx_hash,
        "claim": leg.payer_claim,
        "by": "browser" if leg.attempt is not None and leg.attempt.browser else "link",
        "reported_at": leg.submitted_at or leg.updated_at,
        "verdict": FOUND if is_found else "",
        "checked_at": leg.updated_at if is_found else None,
    }


class Migration(migrations.Migration):
    """A table, and the rows in flight."""

    dependencies: ClassVar = [("payments", "0011_searches")]

    operations: ClassVar = [
        migrations.CreateModel(
            "Hint",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tx_hash", models.CharField(max_length=128)),
                ("claim", models.TextField(blank=True)),
                ("by", models.CharField(choices=[(who, who.replace("_", " ").title()) for who in WHO], max_length=16)),
                ("reported_at", models.DateTimeField(default=now)),
                ("verdict", models.CharField(blank=True, max_length=12)),
                ("checked_at", models.DateTimeField(null=True)),
                (
                    "leg",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="hints", to="payments.leg"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("leg", "tx_hash"), name="a_hash_is_a_legs_hint_once"),
                    models.CheckConstraint(condition=Q(verdict__in=list(WHAT)), name="hint_verdict_known"),
                    models.CheckConstraint(condition=Q(by__in=list(WHO)), name="hint_reporter_known"),
                ]
            },
        ),
        migrations.RunPython(keep_reports, migrations.RunPython.noop),
    ]
