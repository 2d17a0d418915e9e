"""Lines of the merchants' audit cannot be changed or removed in the database either."""

from django.db import migrations

from core.append_only import laying, lifting

TABLE = "merchants_change"


class Migration(migrations.Migration):
    dependencies = [("merchants", "0002_audit_of_changes")]

    operations = [migrations.RunPython(laying(TABLE), lifting(TABLE))]
