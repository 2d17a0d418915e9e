from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Q


def say_whose(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Who made what is there; the service's own need no key. What a merchant's people and keys made is the merchant's, as the column says."""
    rows = apps.get_model("payouts", "Payout").objects
    rows.filter(created_by__startswith="agent:").update(maker=F("created_by"))
    rows.filter(created_by__startswith="policy:").update(maker="service", idempotency_key="")


class Migration(migrations.Migration):
    """One room of idempotency keys becomes one for each maker."""

    dependencies = [('payouts', '0004_release_old_destinations')]

    operations = [
        migrations.AddField(
            model_name="payout", name="maker", field=models.CharField(default="merchant", max_length=80)
        ),
        migrations.RunPython(say_whose, migrations.RunPython.noop),
        migrations.RemoveConstraint(model_name="payout", name="one_payout_per_idempotency_key"),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.UniqueConstraint(
                fields=["merchant", "mode", "maker", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="one_payout_per_idempotency_key",
            ),
        ),
    ]
