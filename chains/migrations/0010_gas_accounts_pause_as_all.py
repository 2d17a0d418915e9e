"""A gas account is paused as everything else is, by a row of ``core.Pause``."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    """Forgets the column, and leaves it where it is: programs of before read it. Source: docs/adr/0121."""

    dependencies: ClassVar = [("chains", "0009_whose_call_waits")]

    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name="gasaccount", name="paused_at")],
        ),
    ]
