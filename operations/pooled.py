"""Whether the pool before PostgreSQL bounds statements, as the service does by itself where none stands there."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connection

LIMITS = ("lock_timeout", "statement_timeout")


@register(Tags.database)
def check_pooled(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """What ``manage.py check --database default`` says where a pool lends connections without these limits."""
    if not databases or not settings.DATABASE_POOLED:
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = '0'", [list(LIMITS)])
        missing = sorted(name for (name,) in cursor.fetchall())
    if not missing:
        return []
    hint = "Set them in PgBouncer's connect_query: docs/operators.md, PgBouncer."
    return [Error(f"The pool's connections have no {' and no '.join(missing)}.", hint=hint, id="operations.E002")]
