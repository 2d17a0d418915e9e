"""Nobody empties the audit at once: row triggers do not see that."""

from typing import ClassVar

from django.db import migrations

from core.append_only import holding_whole, letting_empty


class Migration(migrations.Migration):
    """One trigger, on PostgreSQL."""

    dependencies: ClassVar = [("merchants", "0001_tables")]

    operations: ClassVar = [
        migrations.RunPython(holding_whole("merchants_change"), letting_empty("merchants_change"))
    ]
