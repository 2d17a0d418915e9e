import logging

import core.clock
import core.columns
import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Q

_EVENT = ("network", "chain", "tx_hash", "kind", "position")
_BATCH = 1000
_LOGGER = logging.getLogger("causeway.payments")


def mark_credits(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """By what each credit of before was its leg's, as far as its leg tells."""
    alias = schema_editor.connection.alias
    credits = apps.get_model("payments", "Credit").objects.using(alias).exclude(intent=None)
    legs = apps.get_model("payments", "Leg").objects.using(alias)
    for mark, rule in (
        ("order", ~Q(chain=F("to_chain"))),
        ("claim", Q(kind="transfer") & ~Q(payer_claim="")),
        ("reference", Q(chain="solana", to_chain="solana")),
        ("event", Q(kind="swap")),
    ):
        credits.filter(mark="", leg__in=legs.filter(rule)).update(mark=mark)
    credits.filter(mark="").update(mark="tag")


def own_what_was_credited(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Every event that was credited is that credit's. What also proves a transfer out stays a proof, and is told."""
    alias = schema_editor.connection.alias
    owner = apps.get_model("chains", "EventOwner").objects.using(alias)
    proof = apps.get_model("chains", "TransferProof").objects.using(alias)
    proven = {tuple(row) for row in proof.values_list(*_EVENT).iterator(_BATCH)}
    rows = []
    for event in apps.get_model("payments", "Credit").objects.using(alias).values(*_EVENT).iterator(_BATCH):
        if tuple(event.values()) in proven:
            _LOGGER.error("one_event_twice: %s on %s proves a transfer and is credited", event["tx_hash"], event["chain"])
            continue
        rows.append(owner.model(**event, owner="credit"))
        if len(rows) == _BATCH:
            owner.bulk_create(rows, ignore_conflicts=True)
            rows = []
    owner.bulk_create(rows, ignore_conflicts=True)


class Migration(migrations.Migration):

    dependencies = [
        ("chains", "0005_own_events"),
        ("merchants", "0007_request_log"),
        ('payments', '0014_say_who_paid'),
    ]

    operations = [
        migrations.CreateModel(
            name="CountedElsewhere",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("mode", models.CharField(choices=[("test", "Test"), ("live", "Live")], max_length=4)),
                ("chain", models.CharField(max_length=128)),
                ("tx_hash", models.CharField(max_length=128)),
                ("kind", models.CharField(max_length=12)),
                ("position", models.CharField(max_length=64)),
                ("base_units", core.columns.BaseUnitsColumn()),
                ("noticed_at", models.DateTimeField(default=core.clock.now)),
                ("told_at", models.DateTimeField(null=True)),
                (
                    "intent",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counted_elsewhere",
                        to="payments.paymentintent",
                    ),
                ),
                (
                    "leg",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="counted_elsewhere",
                        to="payments.leg",
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
                        fields=("leg", "chain", "tx_hash", "kind", "position"), name="counted_elsewhere_told_once"
                    )
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(("told_at", None)), fields=["noticed_at"], name="counted_elsewhere_untold"
                    ),
                    models.Index(fields=["merchant", "mode", "noticed_at"], name="counted_elsewhere_newest"),
                ],
            },
        ),
        migrations.AddField(
            model_name="credit",
            name="mark",
            field=models.CharField(blank=True, default="", max_length=16),
        ),
        migrations.AddIndex(
            model_name="credit",
            index=models.Index(
                condition=models.Q(("purpose", "unattributed")),
                fields=["merchant", "mode", "observed_at"],
                name="credit_unattributed",
            ),
        ),
        migrations.RunPython(mark_credits, migrations.RunPython.noop),
        migrations.RunPython(own_what_was_credited, migrations.RunPython.noop),
    ]
