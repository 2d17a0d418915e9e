"""Room on each page of deliveries, so that a claim finds place beside what it changes and writes no index."""

from typing import Any, ClassVar

from django.db import migrations


def leave_room(apps: Any, editor: Any) -> None:
    """For pages written from now on. Cheap on a live table: nothing is rewritten, and no reader or writer waits."""
    if editor.connection.vendor == "postgresql":
        editor.execute('ALTER TABLE "webhooks_delivery" SET (fillfactor = 70)')


def fill_pages(apps: Any, editor: Any) -> None:
    """As it was before."""
    if editor.connection.vendor == "postgresql":
        editor.execute('ALTER TABLE "webhooks_delivery" RESET (fillfactor)')


class Migration(migrations.Migration):
    """Only PostgreSQL has such a setting."""

    dependencies: ClassVar = [("webhooks", "0002_owner_notified")]
    operations: ClassVar = [migrations.RunPython(leave_room, fill_pages)]
