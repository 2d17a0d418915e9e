"""``column__among``: as ``__in``, for hundreds of keys. On PostgreSQL they travel as one value.

Why: with a value each the statement is another one for each number of keys, so it is written, read and planned anew.
"""

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.lookups import In, Lookup
from django.db.models.sql.compiler import SQLCompiler


@models.CharField.register_lookup
@models.UUIDField.register_lookup
class Among(Lookup[Any]):
    """Whether a column holds one of these keys."""

    lookup_name = "among"

    def get_prep_lookup(self) -> list[Any]:
        """The keys, each once."""
        keys: Iterable[Any] = self.rhs
        return list(dict.fromkeys(keys))

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:
        """One array of keys."""
        column, parameters = self.process_lhs(compiler, connection)
        kind = self.lhs.output_field.db_type(connection)
        # An array as text. Source: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO.
        quoted = [str(key).replace("\\", "\\\\").replace('"', '\\"') for key in self.rhs]
        array = "{" + ",".join(f'"{key}"' for key in quoted) + "}"
        return f"{column} = ANY(%s::{kind}[])", [*parameters, array]

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        """A value for each key."""
        return In(self.lhs, self.rhs).as_sql(compiler, connection)
