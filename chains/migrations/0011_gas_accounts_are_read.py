"""What a gas account held when it was last read, and what a call could cost then."""

from typing import ClassVar

import core.columns
from django.db import migrations, models


class Migration(migrations.Migration):
    """Three columns, empty until the first round. Source: docs/adr/0121."""

    dependencies: ClassVar = [("chains", "0010_gas_accounts_pause_as_all")]

    operations: ClassVar = [
        migrations.AddField("gasaccount", "coin_balance", core.columns.OptionalBaseUnitsColumn(null=True)),
        migrations.AddField("gasaccount", "call_cost", core.columns.OptionalBaseUnitsColumn(null=True)),
        migrations.AddField("gasaccount", "read_at", models.DateTimeField(null=True)),
    ]
