from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Q


def say_whose(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Who made what is there. What a merchant's people and keys made is the merchant's, as the column says."""
    rows = apps.get_model("refunds", "Refund").objects
    rows.filter(created_by__startswith="agent:").update(maker=F("created_by"))
    rows.filter(created_by__startswith="policy:").update(maker="service")


class Migration(migrations.Migration):
    """One room of idempotency keys becomes one for each maker."""

    dependencies = [('refunds', '0005_refund_each_late_credit')]

    operations = [
        migrations.AddField(
            model_name="refund", name="maker", field=models.CharField(default="merchant", max_length=80)
        ),
        migrations.RunPython(say_whose, migrations.RunPython.noop),
        migrations.RemoveConstraint(model_name="refund", name="one_refund_per_idempotency_key"),
        migrations.AddConstraint(
            model_name="refund",
            constraint=models.UniqueConstraint(
                fields=["merchant", "mode", "maker", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="one_refund_per_idempotency_key",
            ),
        ),
    ]
