"""Puts the committed token list into a fresh database, so that it works offline from the first start."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from tokens.sources.bundled import bundled_tokens

# Why named here: a later column of the list must not reach the table as it is at this point of its history.
COLUMNS = (
    "chain",
    "address",
    "symbol",
    "name",
    "decimals",
    "verified",
    "is_native",
    "is_usd_stablecoin",
    "source",
)


def load(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    token = apps.get_model("tokens", "Token")
    rows = [token(**{column: getattr(row, column) for column in COLUMNS}) for row in bundled_tokens()]
    token.objects.using(schema_editor.connection.alias).bulk_create(rows, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("tokens", "0001_create_token_table")]

    operations = [migrations.RunPython(load, migrations.RunPython.noop)]
