"""Wallets and what they held are forgotten when their intent is over: those of before, too."""

from typing import Any, ClassVar

from django.db import migrations

OVER = ("settled", "failed", "expired", "cancelled", "refunded")


def forget(apps: Any, editor: Any) -> None:
    """Remove them in one statement."""
    wallets = apps.get_model("payments", "PayerWallet").objects.using(editor.connection.alias)
    wallets.filter(intent__status__in=OVER).delete()


class Migration(migrations.Migration):
    """Rows alone."""

    dependencies: ClassVar = [("payments", "0002_leg_looked_at")]

    operations: ClassVar = [migrations.RunPython(forget, migrations.RunPython.noop)]
