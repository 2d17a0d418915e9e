"""What was done is called an action."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    """State alone: the column keeps its name, so no statement is sent."""

    dependencies: ClassVar = [("mcp_server", "0002_audit_is_not_emptied")]
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("agentrecord", "deed", "action"),
                migrations.AlterField("agentrecord", "action", models.CharField(choices=[('call', 'Call'), ('consent', 'Consent'), ('step_up', 'Step Up'), ('refusal', 'Refusal'), ('revocation', 'Revocation'), ('change', 'Change'), ('decision', 'Decision')], db_column='deed', max_length=12)),
            ]
        )
    ]
