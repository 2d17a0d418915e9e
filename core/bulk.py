"""Write several rows in one database round trip: new ones of different tables, or columns of those of one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.models import sql

ENOUGH_TO_BUNDLE = 2


def insert_together(rows: Sequence[models.Model]) -> None:
    """Insert unsaved rows in order: one statement on PostgreSQL, one statement each elsewhere.

    The rows hold plain values, no database expressions.
    Raises: IntegrityError, and then nothing of it is stored.
    Why: a round trip costs more than the insert itself; creating an intent writes four rows. One statement is
    a transaction by itself, so it needs no BEGIN and COMMIT, which would be two more.
    """
    database = connections[DEFAULT_DB_ALIAS]
    if database.vendor != "postgresql" or len(rows) < ENOUGH_TO_BUNDLE:
        with transaction.atomic():
            for row in rows:
                row.save(force_insert=True)
        return
    statement = _statement(tuple((type(row), row.pk is None) for row in rows))
    parameters = [
        field.get_db_prep_save(field.pre_save(row, add=True), database)
        for fields, row in zip(statement.fields, rows, strict=True)
        for field in fields
    ]
    with database.cursor() as cursor:
        cursor.execute(statement.sql, parameters)
    for row in rows:
        row._state.adding = False
        row._state.db = database.alias


def insert_many(rows: Iterable[models.Model]) -> None:
    """Insert unsaved rows of a few tables, in one statement for each. Order is kept within a table.

    Raises: IntegrityError; the caller's transaction is over then.
    """
    by_model: dict[type[models.Model], list[models.Model]] = {}
    for row in rows:
        by_model.setdefault(type(row), []).append(row)
    for model, alike in by_model.items():
        model._default_manager.bulk_create(alike)


def insert_once(row: models.Model) -> bool:
    """Insert an unsaved row unless another stands under one of its unique keys; whether it was. In one statement.

    The row holds plain values. Locks: waits for whoever inserts the same at this moment.
    Why: the framework's ``get_or_create`` looks first, and inserts under a savepoint: four statements for a new row.
    """
    database = connections[DEFAULT_DB_ALIAS]
    statement = _statement(((type(row), row.pk is None),))
    [fields] = statement.fields
    returned = database.ops.quote_name(str(row._meta.pk.column))
    with database.cursor() as cursor:
        cursor.execute(
            f"{statement.sql} ON CONFLICT DO NOTHING RETURNING {returned}",
            [field.get_db_prep_save(field.pre_save(row, add=True), database) for field in fields],
        )
        found = cursor.fetchone()
    if found is None:
        return False
    if row.pk is None:
        row.pk = found[0]
    row._state.adding, row._state.db = False, database.alias
    return True


def update_rows(rows: Sequence[models.Model], names: Sequence[str]) -> None:
    """Write plain values of columns of rows that stand, in one statement. The rows are of one model.

    Why not ``bulk_update``: it names each row twice for each column, so there is a statement for each number of rows,
    of up to tens of kilobytes, and the driver keeps a hundred of them in each connection.
    """
    if not rows:
        return
    model, database = type(rows[0]), connections[DEFAULT_DB_ALIAS]
    if database.vendor != "postgresql":
        model._default_manager.bulk_update(rows, names)
        return
    quote = database.ops.quote_name
    named = {field.name: field for field in model._meta.concrete_fields}
    fields = [model._meta.pk, *(named[name] for name in names)]
    columns = [quote(str(field.column)) for field in fields]
    given = ", ".join(
        f"unnest(%s::{field.db_type(database)}[]) AS {column}" for field, column in zip(fields, columns, strict=True)
    )
    changes = ", ".join(f"{column} = given.{column}" for column in columns[1:])
    table, key = quote(model._meta.db_table), columns[0]
    with database.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} SET {changes} FROM (SELECT {given}) AS given WHERE {table}.{key} = given.{key}",  # noqa: S608 - own names
            [[field.get_db_prep_save(getattr(row, field.attname), database) for row in rows] for field in fields],
        )


@dataclass(frozen=True, kw_only=True)
class _Statement:
    sql: str
    fields: tuple[tuple[models.Field[Any, Any], ...], ...]


@cache
def _statement(tables: tuple[tuple[type[models.Model], bool], ...]) -> _Statement:
    """The statement for rows of these models, each with whether the database chooses its key.

    Why kept: writing the SQL takes four times as long as filling it in.
    """
    fields = tuple(
        tuple(field for field in model._meta.concrete_fields if not (field.primary_key and key_is_missing))
        for model, key_is_missing in tables
    )
    *earlier, last = (_insert(model, some) for (model, _), some in zip(tables, fields, strict=True))
    named = ", ".join(f"i{number} AS ({insert} RETURNING 1)" for number, insert in enumerate(earlier))
    return _Statement(sql=f"WITH {named} {last}" if earlier else last, fields=fields)


def _insert(model: type[models.Model], fields: Sequence[models.Field[Any, Any]]) -> str:
    query, blank = sql.InsertQuery(model), model()
    for field in fields:
        setattr(blank, field.attname, None)  # Why: a column that takes exact values only refuses a model's empty text
    query.insert_values(fields, [blank], raw=True)
    [(statement, _)] = query.get_compiler(using=DEFAULT_DB_ALIAS).as_sql()
    return str(statement)


def insert_from(source: str, model: type[models.Model], **columns: str) -> str:
    """``INSERT … SELECT … FROM source``: these columns by the name of a parameter, all others as a new row has them.

    For PostgreSQL. Every column without a default must be named; a name stands for the same parameter each time.
    Raises: ValueError for a column that a new row has no plain value for.
    """
    blank, chosen, quote = model(), {}, connections[DEFAULT_DB_ALIAS].ops.quote_name
    for field in model._meta.concrete_fields:
        name = str(field.column)
        if name in columns:
            chosen[name] = parameter(columns.pop(name), field)
        elif not field.primary_key:
            chosen[name] = _literal(
                field.get_db_prep_save(getattr(blank, field.attname), connections[DEFAULT_DB_ALIAS])
            )
    if columns:
        raise ValueError(f"{model.__name__} has no column {', '.join(columns)}")
    table, names = quote(model._meta.db_table), ", ".join(map(quote, chosen))
    return f"INSERT INTO {table} ({names}) SELECT {', '.join(chosen.values())} FROM {source}"  # noqa: S608 - own names


def as_bigint(number: int) -> Any:
    """A whole number as a parameter that always has the same type. Why: a statement is prepared for its types."""
    return _adapt_integer()(number, "BigIntegerField")


@cache
def _adapt_integer() -> Callable[[int, str], Any]:
    """Why kept: each task of an event loop that asks the framework for its connection gets a new object for it."""
    adapt: Callable[[int, str], Any] = connections[DEFAULT_DB_ALIAS].ops.adapt_integerfield_value
    return adapt


def parameter(name: str, field: models.Field[Any, Any]) -> str:
    """A named parameter, with the type of a column. Why: what is selected has none of its own."""
    kind = str(field.db_type(connections[DEFAULT_DB_ALIAS])).partition("(")[0]
    return f"%({name})s::{'text' if kind == 'varchar' else kind}"


def _literal(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case int():
            return str(int(value))
        case str() if "'" not in value and "%" not in value and "\\" not in value:
            return f"'{value}'"
        case _:
            raise ValueError(f"{value!r} can stand in no statement")
