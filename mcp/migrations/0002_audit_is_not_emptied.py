"""Nobody empties the audit at once: row triggers do not see that."""

from typing import ClassVar

from django.db import migrations

from core.append_only import holding_whole, letting_empty


class Migration(migrations.Migration):
    """One trigger, on PostgreSQL."""

    dependencies: ClassVar = [("mcp_server", "0001_tables")]

    operations: ClassVar = [
        migrations.RunPython(holding_whole("mcp_server_agentrecord"), letting_empty("mcp_server_agentrecord"))
    ]
