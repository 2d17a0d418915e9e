"""A pytest plugin: each process gets its tables as a copy, and a test that commits leaves them as they were copied.

Why not flushed as Django does: that takes away what the migrations loaded, such as the token list, and makes content
types and permissions anew after every such test.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import TransactionTestCase
from pytest_django.plugin import DjangoDbBlocker

from tests.machine import PATIENCE_SECONDS
from tests.templates import copy_postgresql, sqlite_template

HISTORY = "django_migrations"
EMPTY = """DO $$
DECLARE
    every text[] := ARRAY(
        SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'django_migrations'
    );
    filled text[] := '{}';
    name text; found int; grows boolean;
BEGIN
    FOREACH name IN ARRAY every LOOP
        EXECUTE format('SELECT count(*) FROM (SELECT FROM %I LIMIT 1000) AS few', name) INTO found;
        IF found = 1000 THEN
            EXECUTE 'TRUNCATE ' || (SELECT string_agg(quote_ident(one), ', ') FROM unnest(every) AS one);
            RETURN;
        END IF;
        IF found > 0 THEN
            filled := filled || name;
        END IF;
    END LOOP;
    FOREACH name IN ARRAY filled LOOP
        grows := EXISTS (
            SELECT FROM pg_trigger WHERE tgrelid = quote_ident(name)::regclass AND NOT tgisinternal AND tgtype & 8 > 0
        );
        EXECUTE format(CASE WHEN grows THEN 'TRUNCATE %I' ELSE 'DELETE FROM %I' END, name);
    END LOOP;
END $$"""
"""Why not all tables truncated at once, as Django does: that makes four hundred files anew and takes fifteen times as
long as removing a test's few rows. Only audits are truncated alone: their triggers refuse removing (8 in a trigger's
type). Why all are counted first: what was removed can be truncated no more in the same transaction."""
_loaded: dict[str, bytes] = {}
"""The rows that a fresh PostgreSQL database has, by table."""


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
    django_db_keepdb: bool,
    django_db_createdb: bool,
) -> Iterator[None]:
    """In the place of pytest-django's own, which migrates. A database that is kept between runs is still migrated."""
    configured = connection.settings_dict["NAME"]
    is_kept = django_db_keepdb and not django_db_createdb
    with django_db_blocker.unblock():
        if is_kept:
            connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False, keepdb=True)
        else:
            _copy()
        if connection.vendor == "postgresql":
            _loaded.update(_rows())
    yield
    with django_db_blocker.unblock():
        connection.creation.destroy_test_db(configured, verbosity=0, keepdb=django_db_keepdb)


def _copy() -> None:
    """Give this process a database of its own and point Django at it."""
    creation: Any = connection.creation  # whose stubs leave out what parallel runs of Django use too
    name = creation._get_test_db_name()
    connection.close()
    if connection.vendor == "postgresql":
        copy_postgresql(settings.DATABASE_URL, name)
    settings.DATABASES[connection.alias]["NAME"] = connection.settings_dict["NAME"] = name
    if connection.vendor == "sqlite":
        put_back()


def put_back(case: Any = None) -> None:
    """Make every table as it was when it was copied; what a test committed is gone."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(sqlite_template())) as template:
            template.backup(connection.connection, progress=_patience())
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # audits refuse to be emptied
        cursor.execute(EMPTY)
        for table, rows in _loaded.items():
            with cursor.copy(f"COPY {connection.ops.quote_name(table)} FROM STDIN") as copying:
                copying.write(rows)


def _rows() -> dict[str, bytes]:
    """What is in each table that is not empty."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
            # Why by a query: what lies in partitions is not copied otherwise.
            rows = f"SELECT * FROM {connection.ops.quote_name(table)}"  # noqa: S608 - our own names
            with cursor.copy(f"COPY ({rows}) TO STDOUT") as copying:
                found[table] = b"".join(copying)
    return {table: rows for table, rows in found.items() if rows and table != HISTORY}


def _patience() -> Any:
    """Why counted: SQLite would try for ever where another thread keeps the database locked. It rests 0.25 s a time."""
    tries = iter(range(PATIENCE_SECONDS * 4))

    def tell(status: int, remaining: int, total: int) -> None:
        assert next(tries, None) is not None, "another thread keeps the database locked after its test"

    return tell


TransactionTestCase._fixture_teardown = put_back  # type: ignore[attr-defined]  # the one place that flushes
