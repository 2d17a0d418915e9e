"""A column that old code need not know, and an index that locks nobody out: what a migration may do in one release."""

from django.db import migrations


class Migration(migrations.Migration):
    """Additive, and each part by itself."""

    atomic = False
    dependencies = [("payments", "0001_initial")]
    operations = [
        migrations.RunSQL(
            "ALTER TABLE payments_paymentintent ADD COLUMN next_version text NOT NULL DEFAULT ''",
            "ALTER TABLE payments_paymentintent DROP COLUMN next_version",
        ),
        migrations.RunSQL(
            "CREATE INDEX CONCURRENTLY next_version ON payments_paymentintent (next_version, created_at)",
            "DROP INDEX CONCURRENTLY next_version",
        ),
    ]
