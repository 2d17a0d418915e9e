from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_EVENT = ("network", "chain", "tx_hash", "kind", "position")
_BATCH = 1000


def own_what_proves(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Every event that proves a transfer is that transfer's."""
    alias = schema_editor.connection.alias
    owner = apps.get_model("chains", "EventOwner").objects.using(alias)
    events = apps.get_model("chains", "TransferProof").objects.using(alias).values(*_EVENT)
    rows = [owner.model(**event, owner="proof") for event in events.iterator(_BATCH)]
    owner.bulk_create(rows, batch_size=_BATCH, ignore_conflicts=True)


class Migration(migrations.Migration):

    dependencies = [
        ('chains', '0004_retire_signing_accounts'),
    ]

    operations = [
        migrations.CreateModel(
            name="EventOwner",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("network", models.CharField(max_length=12)),
                ("chain", models.CharField(max_length=128)),
                ("tx_hash", models.CharField(max_length=128)),
                ("kind", models.CharField(max_length=12)),
                ("position", models.CharField(max_length=64)),
                ("owner", models.CharField(choices=[("credit", "Credit"), ("proof", "Proof")], max_length=8)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("network", "chain", "tx_hash", "kind", "position"), name="one_owner_per_chain_event"
                    )
                ],
            },
        ),
        migrations.RunPython(own_what_proves, migrations.RunPython.noop),
    ]
