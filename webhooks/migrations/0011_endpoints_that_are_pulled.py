"""Endpoints without a URL, whose deliveries are fetched."""

from importlib import import_module
from typing import Any, ClassVar

from django.db import migrations, models


def let_unread_ones_go(apps: Any, editor: Any) -> None:
    """What waits to be fetched keeps no week: the function that drops one is made anew, with the rights it has."""
    if editor.connection.vendor != "postgresql":
        return
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        [schema] = cursor.fetchone()
        made = import_module("webhooks.migrations.0008_event_weeks")._DROP.replace("{schema}", schema)
        made = made.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
        cursor.execute(made.replace("outcome = ''due''", "outcome = ''due'' AND pull_at IS NULL"))


class Migration(migrations.Migration):
    """Cheap on a live table: no row is written. Programs of before neither see nor post what is to be fetched."""

    dependencies: ClassVar = [("webhooks", "0010_events_in_order")]
    operations: ClassVar = [
        migrations.AddField(
            "webhookendpoint",
            "kind",
            models.CharField(
                choices=[("push", "Posted to its URL."), ("pull", "Fetched and answered by the merchant.")],
                db_default="push",
                default="push",
                max_length=4,
            ),
        ),
        migrations.AddField("delivery", "pull_at", models.DateTimeField(blank=True, null=True)),
        migrations.RunPython(let_unread_ones_go, migrations.RunPython.noop),
    ]
