"""A worker keeps its connection to the database from one task to the next, and replaces one that died."""

from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, connection

import config.celery
from config.worker_connections import keep_connections
from tests.templates import on_server

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
TASK = SimpleNamespace(request=SimpleNamespace(is_eager=False))


@pytest.fixture
def around() -> Any:
    """What Celery does before and after each task of our application."""
    application: Any = config.celery.app  # the stubs know no ``fixups``
    assert application.fixups == ["config.worker_connections:keep_connections"]
    return keep_connections(application).worker_fixup


def backend() -> int:
    """Which process of PostgreSQL answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def task_of(around: Any) -> int:
    """A task that asks who answers it."""
    around.on_task_prerun(TASK)
    try:
        return backend()
    finally:
        around.on_task_postrun(TASK)


def test_tasks_are_answered_by_one_connection(around: Any) -> None:
    assert len({task_of(around) for _ in range(5)}) == 1


def test_a_connection_that_died_costs_one_task(around: Any) -> None:
    first = task_of(around)
    with psycopg.connect(on_server(settings.DATABASE_URL, "postgres"), autocommit=True) as server:
        server.execute("SELECT pg_terminate_backend(%s, 10000)", [first])
    with pytest.raises(OperationalError):
        task_of(around)
    assert task_of(around) != first
