"""A turn belongs to one caller at a time: in this process, and on PostgreSQL among all that share the database."""

import threading

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from core.locks import Turn
from tests.machine import wait_until
from tests.templates import on_server


@pytest.mark.django_db
def test_one_has_it_until_it_gives_it_up() -> None:
    first, second, other = Turn("planted"), Turn("planted"), Turn("another")
    assert (first.take(), second.take(), other.take()) == (True, False, True)
    second.give_up()  # what is not its own
    assert second.take() is False
    first.give_up()
    first.give_up()
    assert (second.take(), first.take()) == (True, False)
    second.give_up()
    other.give_up()


@pytest.mark.django_db
def test_a_thread_of_this_process_waits_for_no_other() -> None:
    turn, told = Turn("planted"), []
    assert turn.take()
    asking = threading.Thread(target=lambda: told.append(Turn("planted").take()))
    asking.start()
    asking.join()
    turn.give_up()
    assert told == [False]


@pytest.mark.postgres
@pytest.mark.django_db
def test_another_process_has_it_until_its_connection_ends() -> None:
    """However it ends: so a worker that is killed holds up nobody."""
    url = on_server(settings.DATABASE_URL, connection.settings_dict["NAME"])
    turn = Turn("planted")
    with psycopg.connect(url, autocommit=True) as elsewhere:
        elsewhere.execute("SELECT pg_advisory_lock(hashtextextended('planted', 0))")
        assert turn.take() is False
    assert wait_until(turn.take, "the server to notice that the connection ended")
    turn.give_up()
    with psycopg.connect(url, autocommit=True) as elsewhere:
        free = elsewhere.execute("SELECT pg_try_advisory_lock(hashtextextended('planted', 0))").fetchone()
    assert free == (True,)
