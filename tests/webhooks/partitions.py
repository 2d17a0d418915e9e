"""The partitions of events, deliveries and attempts on PostgreSQL, as tests look at them and make them."""

from datetime import UTC, datetime
from typing import Any

from django.db import connection, models

from webhooks.models import Delivery, DeliveryAttempt, Event
from webhooks.services.event_weeks import WEEK

TABLES: tuple[type[models.Model], ...] = (Event, Delivery, DeliveryAttempt)
NAMES = tuple(model._meta.db_table for model in TABLES)


def ask(question: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return [row[0] for row in cursor.fetchall()] if cursor.description else []


def weeks(table: str = "webhooks_event") -> list[str]:
    """The partitions, by what their names say beyond the table's."""
    found = ask(f"SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '{table}'::regclass")  # noqa: S608 - our own names
    return sorted(name.removeprefix(f"{table}_") for name in found)


def in_part(week: str) -> list[int]:
    """How many events, deliveries and attempts lie there."""
    return [ask(f"SELECT count(*) FROM {table}_{week}")[0] for table in NAMES]  # noqa: S608 - our own names


def monday(shift: int = 0) -> datetime:
    """The database's, since weeks are made by its clock."""
    [this] = ask("SELECT date_trunc('week', now(), 'UTC')")
    assert isinstance(this, datetime)
    return this.astimezone(UTC) + shift * WEEK


def named(moment: datetime) -> str:
    return moment.strftime("%Y%m%d")


def make_week(moment: datetime) -> None:
    """As the database's function does it, which makes none of the past."""
    for table in NAMES:
        part, ends = f"{table}_{named(moment)}", moment + WEEK
        ask(f"CREATE TABLE {part} (LIKE {table}_default INCLUDING ALL)")
        ask(f"ALTER TABLE {table} ATTACH PARTITION {part} FOR VALUES FROM ('{moment}') TO ('{ends}')")


def drop_all_but_default() -> None:
    """As it is before any week was made, and after the first partitions were dropped."""
    for table in NAMES:
        for week in weeks(table):
            if week != "default":
                ask(f"DROP TABLE {table}_{week}")
