"""What restricted keys need, and one list of origins for a merchant and mode in place of one for each key."""

import django.db.models.deletion
from django.db import migrations, models

import core.clock


def tell_replaced_from_expiring(apps, editor):
    """Until now a key had an end only when another took its place."""
    keys = apps.get_model("merchants", "ApiKey").objects
    keys.filter(kind__in=["sk", "pk"], expires_at__isnull=False).update(replaced_at=models.F("expires_at"))


def fold_origins(apps, editor):
    """Origins that were listed for any key of a merchant and mode are listed for all of them."""
    allowed = apps.get_model("merchants", "AllowedOrigin")
    listed = apps.get_model("merchants", "ApiKey").objects.exclude(origins=[])
    for merchant_id, mode, origins in listed.values_list("merchant_id", "mode", "origins"):
        for origin in origins:
            allowed.objects.get_or_create(merchant_id=merchant_id, mode=mode, origin=origin)


def _rows(name, *fields):
    mode = models.CharField(choices=[("test", "Test"), ("live", "Live")], max_length=4)
    merchant = models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="merchants.merchant"
    )
    return migrations.CreateModel(
        name=name,
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("mode", mode),
            ("origin", models.CharField(max_length=300)),
            *fields,
            ("merchant", merchant),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(
                    fields=("merchant", "mode", "origin"),
                    name="allowed_origin_once" if name == "AllowedOrigin" else "refused_origin_once",
                )
            ],
        },
    )


class Migration(migrations.Migration):
    dependencies = [("merchants", "0005_invitations")]

    operations = [
        migrations.AddField("apikey", "replaced_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "apikey", "last_used_address", models.CharField(blank=True, max_length=64, default=""), preserve_default=False
        ),
        _rows("AllowedOrigin", ("created_at", models.DateTimeField(default=core.clock.now))),
        _rows(
            "RefusedOrigin",
            ("times", models.BigIntegerField(default=0)),
            ("first_at", models.DateTimeField(default=core.clock.now)),
            ("last_at", models.DateTimeField(default=core.clock.now)),
        ),
        migrations.RunPython(tell_replaced_from_expiring, migrations.RunPython.noop),
        migrations.RunPython(fold_origins, migrations.RunPython.noop),
        migrations.RemoveField("apikey", "origins"),
    ]
