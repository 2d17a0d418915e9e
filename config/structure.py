"""The tables of a new embedded database from one file of SQL, because migrating takes most of a first start.

``make structure`` writes the file from what the migrations make; a test says when it is no longer that.
"""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from django.db.backends.base.base import BaseDatabaseWrapper

STRUCTURE = Path(__file__).with_name("structure.sql")
_LEFT_OUT = re.compile(
    r"^(INSERT INTO|DELETE FROM) \"(auth_permission|django_content_type|chains_networkprofile|sqlite_sequence)\""
)
"""What ``migrate`` puts in whenever it has run; and a network, which each database chooses at its first start."""
_APPLIED_AT = re.compile(r"^(INSERT INTO \"django_migrations\" .*),'[^']*'\);$")


def is_new(connection: BaseDatabaseWrapper) -> bool:
    """Whether this is a SQLite database without any table."""
    return connection.vendor == "sqlite" and not connection.introspection.table_names()


def lay_tables(connection: BaseDatabaseWrapper) -> None:
    """Make every table of a new SQLite database, all or none, with the rows that migrations load."""
    with connection.constraint_checks_disabled():  # tables come by their names, before those that they refer to
        connection.connection.executescript(STRUCTURE.read_text())


def dumped(database: sqlite3.Connection) -> Iterator[str]:
    """The statements that make such a database anew, without what differs between two of them."""
    for statement in database.iterdump():
        if not _LEFT_OUT.match(statement):
            yield _APPLIED_AT.sub(r"\1,CURRENT_TIMESTAMP);", statement) + "\n"
