"""Behind a pool that lends connections for a transaction, nothing stays on one that was lent."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.conf import settings as given
from django.core.checks import Tags, run_checks
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.locks import Turn
from tests.machine import wait_until
from tests.templates import on_server
from webhooks.delivery.rounds import drain

Database = psycopg.Connection[tuple[Any, ...]]
pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
RELAXED = "SET synchronous_commit TO off"
KEPT = """
SELECT pid, state FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND datname = current_database() AND granted
"""


@pytest.fixture
def pooled(settings: Any) -> None:
    settings.DATABASE_POOLED = True


@pytest.fixture
def elsewhere() -> Iterator[Database]:
    """Another connection to the same database."""
    url = on_server(given.DATABASE_URL, connection.settings_dict["NAME"])
    with psycopg.connect(url, autocommit=True) as made:
        yield made


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


@pytest.mark.usefixtures("pooled")
def test_a_turn_lasts_as_long_as_a_transaction_of_its_own(elsewhere: Database) -> None:
    turn = Turn("planted")
    assert (turn.take(), Turn("planted").take()) == (True, False)
    [(pid, state)] = elsewhere.execute(KEPT).fetchall()
    assert (pid != backend(), state) == (True, "idle in transaction")
    turn.give_up()
    assert wait_until(lambda: not elsewhere.execute(KEPT).fetchall(), "the lock to end with its connection")


@pytest.mark.usefixtures("pooled")
def test_a_turn_that_another_process_has_is_not_taken(elsewhere: Database) -> None:
    turn = Turn("planted")
    with elsewhere.transaction():
        elsewhere.execute("SELECT pg_advisory_xact_lock(hashtextextended('planted', 0))")
        assert turn.take() is False
    assert turn.take() is True
    turn.give_up()


@pytest.mark.parametrize("is_pooled", [True, False])
def test_a_drain_changes_no_connection_that_was_lent(settings: Any, *, is_pooled: bool) -> None:
    """Else who gets it next is told of a payment that is on no disk."""
    settings.DATABASE_POOLED = is_pooled
    with CaptureQueriesContext(connection) as asked:
        drain()
    assert (RELAXED not in [query["sql"] for query in asked]) is is_pooled


@pytest.mark.usefixtures("pooled")
def test_rows_are_fetched_piece_by_piece_in_a_transaction_alone() -> None:
    with connection.chunked_cursor() as cursor:
        assert not isinstance(cursor.cursor, psycopg.ServerCursor)
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        assert isinstance(cursor.cursor, psycopg.ServerCursor)


@pytest.mark.usefixtures("pooled")
def test_a_pool_without_limits_is_named() -> None:
    def said() -> list[str]:
        return [one.msg for one in run_checks(tags=[Tags.database], databases=["default"]) if "pool" in one.msg]

    assert said() == []
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        try:
            assert said() == ["The pool's connections have no statement_timeout."]
        finally:
            cursor.execute("RESET statement_timeout")
