"""Asks the same question again and again, or writes the same columns, with SQL that is written once and filled in.

Beside ``core.lookups``, which finds one row by its columns: these are whole querysets. On PostgreSQL alone; elsewhere
each is written anew. Private names of Django 5.2 used here: ``Query.get_compiler``, and of the compiler ``as_sql``,
``get_converters``, ``select`` and ``col_count``. What it buys: docs/performance.md, Live mode.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, wraps
from itertools import count
from typing import Any, TypeVar, TypeVarTuple
from uuid import UUID, uuid4

from django.db import DatabaseError, connection, models
from django.db.models.query import QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

Arguments = TypeVarTuple("Arguments")
Answer = TypeVar("Answer")
MOST_VALUES = 8
"""So many values of one argument, and the SQL is kept; for more it is written each time."""
_NUMBERS = count(20_000)
"""Small enough for any column of numbers: one that is too large for its column is not asked for at all."""


class _Filled(SQLCompiler):
    """A query that was compiled before, with other values in it."""

    def __init__(self, written: "_Written", parameters: Sequence[object]) -> None:
        self.__dict__.update(written.compiler.__dict__)
        self.connection = connection
        self._statement, self._parameters, self._converters = written.statement, tuple(parameters), written.converters

    def as_sql(self, with_limits: bool = True, with_col_aliases: bool = False) -> tuple[str, tuple[Any, ...]]:  # noqa: FBT001, FBT002 - the framework's
        """The statement and its values."""
        return self._statement, self._parameters

    def get_converters(self, expressions: Iterable[Any]) -> dict[int, Any]:
        """How columns become values; the same for each answer."""
        return self._converters


@dataclass(frozen=True, kw_only=True, slots=True)
class _Written:
    """``places``: for each parameter the place of its argument and of the value in it; None where it never changes."""

    rows: QuerySet[Any, Any]
    compiler: SQLCompiler
    statement: str
    parameters: tuple[object, ...]
    places: tuple[tuple[int, int] | None, ...]
    converters: dict[int, Any]

    def ask(self, values: Sequence[Sequence[object]]) -> list[Any]:
        parameters = [
            standing if place is None else _alike(standing, values[place[0]][place[1]])
            for standing, place in zip(self.parameters, self.places, strict=True)
        ]
        rows = self.rows.all()
        if rows.query.select_for_update and not connection.in_atomic_block:
            raise TransactionManagementError("select_for_update cannot be used outside of a transaction.")
        rows.query.get_compiler = lambda *_, **__: _Filled(self, parameters)  # type: ignore[method-assign]  # of this copy alone
        return list(rows)


def compiled_once(ask: Callable[[*Arguments], QuerySet[Any, Answer]]) -> Callable[[*Arguments], list[Answer]]:
    """Make of a function that returns a queryset one that returns its rows, and writes their SQL only once.

    All that changes from one question to the next is an argument: a key, a text, a number, a moment, or several of one
    of these; so ``now()`` is one. Where an argument has no values, the answer is empty.
    Raises: TypeError where an argument is something else, or does not reach the database as it is.
    """
    kept: dict[Hashable, _Written] = {}

    @wraps(ask)
    def asked(*arguments: *Arguments) -> list[Answer]:
        values = [_values(one) for one in arguments]
        if not all(values):
            return []
        if connection.vendor != "postgresql" or any(len(some) > MOST_VALUES for some in values):
            return list(ask(*arguments))
        shape = tuple(len(some) for some in values)
        if shape not in kept:
            kept[shape] = _write(ask, arguments)
        return kept[shape].ask(values)

    return asked


def save_columns(row: models.Model, names: Iterable[str]) -> None:
    """As ``row.save(update_fields=names)`` of plain values of a row that stands; nobody is told of it.

    Raises: DatabaseError where the row is gone.
    """
    chosen = frozenset(names)
    if connection.vendor != "postgresql":
        row.save(update_fields=chosen)
        return
    update = _update(type(row), chosen)
    parameters = [field.get_db_prep_save(field.pre_save(row, add=False), connection) for field in update.fields]
    with connection.cursor() as cursor:
        cursor.execute(update.statement, [*parameters, row.pk])
        if not cursor.rowcount:
            raise DatabaseError(f"{row._meta.label} {row.pk} is gone")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Update:
    statement: str
    fields: tuple[models.Field[Any, Any], ...]


@cache
def _update(model: type[models.Model], names: frozenset[str]) -> _Update:
    quote, key = connection.ops.quote_name, model._meta.pk
    fields = tuple(field for field in model._meta.concrete_fields if {field.name, field.attname} & names)
    columns = ", ".join(f"{quote(str(field.column))} = %s" for field in fields)
    if len(fields) < len(names) or key in fields:
        raise ValueError(f"{model._meta.label} has not all of these columns: {', '.join(sorted(names))}")
    table = quote(model._meta.db_table)
    return _Update(
        statement=f"UPDATE {table} SET {columns} WHERE {quote(str(key.column))} = %s",  # noqa: S608 - own names
        fields=fields,
    )


def _values(argument: object) -> Sequence[object]:
    if isinstance(argument, list | tuple | set | frozenset):
        return tuple(argument)
    return (argument,)


def _write(ask: Callable[..., QuerySet[Any, Any]], given: Sequence[object]) -> _Written:
    """Compile the question with values that stand nowhere else. Twice: what only looks like one of them differs."""
    marks, others = ([_marks(one) for one in given] for _ in range(2))
    rows, again = ask(*marks), ask(*others).query.get_compiler(connection=connection)
    compiler = rows.query.get_compiler(connection=connection)
    (statement, parameters), (statement_again, parameters_again) = compiler.as_sql(), again.as_sql()
    places = _places(marks, parameters)
    asked_for = {(place, within) for place, one in enumerate(marks) for within in range(len(_values(one)))}
    if (statement, places) != (statement_again, _places(others, parameters_again)) or asked_for - set(places):
        raise TypeError("an argument does not reach the database as it is")
    return _Written(
        rows=rows,
        compiler=compiler,
        statement=statement,
        parameters=parameters,
        places=places,
        converters=compiler.get_converters(one[0] for one in compiler.select[: compiler.col_count]),
    )


def _places(marks: Sequence[object], parameters: Sequence[object]) -> tuple[tuple[int, int] | None, ...]:
    known = {mark: (place, within) for place, one in enumerate(marks) for within, mark in enumerate(_values(one))}
    return tuple(known.get(one) if isinstance(one, UUID | str | int | datetime) else None for one in parameters)


def _marks(argument: object) -> Any:
    if isinstance(argument, list | tuple | set | frozenset):
        return [_marks(one) for one in argument]
    number = next(_NUMBERS)
    match argument:
        case UUID():
            return uuid4()
        case str():
            return f"compiled once {number}"
        case datetime():
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
        case int() if not isinstance(argument, bool):
            return number
    raise TypeError(f"{type(argument).__name__} is no argument of a question that is compiled once")


def _alike(standing: object, value: object) -> object:
    """A value as the database takes it: as plain text, and a number of the column's own size."""
    if isinstance(value, str):
        return str(value)
    return type(standing)(value) if isinstance(standing, int) else value  # type: ignore[call-overload]  # all take one number
