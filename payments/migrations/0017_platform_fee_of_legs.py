from django.db import migrations

import core.columns
from core.money import ZERO_USD


class Migration(migrations.Migration):
    """What an issued call gives the operator stands with its leg. Legs of before tell none, as they did."""

    dependencies = [('payments', '0016_attempts_belong_to_browsers')]

    operations = [
        migrations.AddField(
            model_name="leg", name="platform_fee_base_units", field=core.columns.BaseUnitsColumn(default=0)
        ),
        migrations.AddField(
            model_name="leg", name="platform_fee_usd", field=core.columns.UsdColumn(default=ZERO_USD)
        ),
    ]
