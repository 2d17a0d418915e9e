"""Connections that an event loop keeps: used again, replaced when lost, and never waited for without an end."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import pytest
from django.db import DataError, OperationalError, connection

from core import loop_connections
from core.clock import now
from core.errors import TemporarilyUnavailable
from core.loop_connections import LoopConnections
from core.models import Heartbeat
from tests.machine import let_others_run

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
WHO = "SELECT pg_backend_pid()"


def in_loop(ask: Callable[[LoopConnections], Awaitable[Any]], most: int = 1) -> Any:
    """What comes of it; the connections are closed afterwards."""

    async def run() -> Any:
        kept = LoopConnections(most)
        try:
            return await ask(kept)
        finally:
            for one, _ in kept._free:
                await one.close()

    return asyncio.run(run())


async def pid(kept: LoopConnections) -> int:
    row = await kept.first_row(WHO, {})
    assert row is not None
    return int(row[0])


def test_one_is_used_again_and_reads_as_the_framework_does() -> None:
    async def ask(kept: LoopConnections) -> Any:
        first = await pid(kept)
        row = await kept.first_row(
            """SELECT %(a)s::text, '{"a": 1.10}'::jsonb, '2026-01-31T12:00Z'::timestamptz::text WHERE true""",
            {"a": "ä"},
        )
        return row, await kept.first_row("SELECT 1 WHERE false", {}), first == await pid(kept)

    assert in_loop(ask) == (("ä", '{"a": 1.10}', "2026-01-31 12:00:00+00"), None, True)


def test_a_row_is_found_by_its_key_even_in_a_table_that_is_small() -> None:
    """A plan is kept while the table grows."""
    explained = "EXPLAIN (COSTS OFF) SELECT amname FROM pg_am WHERE oid = 403"
    assert in_loop(lambda kept: kept.first_row(explained, {})) == ("Index Scan using pg_am_oid_index on pg_am",)


def test_what_the_database_refuses_costs_no_connection() -> None:
    async def ask(kept: LoopConnections) -> bool:
        first = await pid(kept)
        with pytest.raises(DataError) as refused:
            await kept.first_row("SELECT 1 / %(by)s::int", {"by": 0})
        assert getattr(refused.value.__cause__, "sqlstate", None) == "22012"
        return first == await pid(kept)

    assert in_loop(ask)


def test_one_that_is_lost_at_work_is_replaced_and_what_it_did_is_unknown() -> None:
    async def ask(kept: LoopConnections) -> bool:
        first = await pid(kept)
        [(held, _)] = kept._free
        await held.close()
        with pytest.raises(OperationalError) as lost:
            await kept.first_row(WHO, {})
        assert getattr(lost.value.__cause__, "sqlstate", None) is None
        return first != await pid(kept)

    assert in_loop(ask)


READ_ONLY = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"


def test_a_server_that_leads_no_more_is_away_and_asked_no_more() -> None:
    """While another takes over, callers are asked to come again and are told of no fault."""

    async def ask(kept: LoopConnections) -> bool:
        first = await pid(kept)
        [(held, _)] = kept._free
        await held.execute(READ_ONLY)
        with pytest.raises(OperationalError) as refused:
            await kept.first_row("CREATE TABLE never_made (number int)", {})
        assert getattr(refused.value.__cause__, "sqlstate", None) == "25006"
        return first != await pid(kept)

    assert in_loop(ask)


def test_threads_leave_such_a_server_once_their_work_is_over() -> None:
    with connection.cursor() as cursor:
        cursor.execute(READ_ONLY)
        cursor.execute(WHO)
        [first] = cursor.fetchone()
    with pytest.raises(OperationalError, match="read-only"):
        Heartbeat.objects.create(name="money", at=now())
    connection.close_if_unusable_or_obsolete()
    assert connection.connection is None
    Heartbeat.objects.create(name="money", at=now())
    with connection.cursor() as cursor:
        cursor.execute(WHO)
        assert cursor.fetchone() != (first,)


def test_one_that_was_lost_while_nobody_asked_is_replaced_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_connections, "TRUSTED_SECONDS", -1.0)

    async def ask(kept: LoopConnections) -> bool:
        first = await pid(kept)
        with psycopg.connect(os.environ["DATABASE_URL"], dbname=connection.settings_dict["NAME"]) as other:
            other.execute("SELECT pg_terminate_backend(%s, 10000)", [first])
        return first != await pid(kept)

    assert in_loop(ask)


def test_who_finds_none_free_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(kept: LoopConnections) -> list[str]:
        await kept._places.acquire()
        with monkeypatch.context() as busy:
            busy.setattr(loop_connections, "WAIT_SECONDS", 0)
            with pytest.raises(TemporarilyUnavailable):
                await pid(kept)
        kept._places.release()
        return [type(await pid(kept)).__name__]

    assert in_loop(ask) == ["int"]


def test_a_database_that_accepts_nobody_is_waited_for_no_longer_than_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the place is free again for whoever comes when it is back."""

    async def ask(kept: LoopConnections) -> bool:
        with monkeypatch.context() as away:
            away.setattr(loop_connections, "_opened", asyncio.Event().wait)
            away.setattr(loop_connections, "WAIT_SECONDS", 0)
            with pytest.raises(TemporarilyUnavailable):
                await pid(kept)
        return await pid(kept) > 0

    assert in_loop(ask)


def test_one_that_does_not_say_whether_it_lives_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(kept: LoopConnections) -> bool:
        first = await pid(kept)
        [(held, _)] = kept._free
        with monkeypatch.context() as mute:
            mute.setattr(held, "execute", lambda _: asyncio.Event().wait())
            mute.setattr(loop_connections, "TRUSTED_SECONDS", -1.0)
            mute.setattr(loop_connections, "WAIT_SECONDS", 0)
            with pytest.raises(TemporarilyUnavailable):
                await pid(kept)
        return held.closed and first != await pid(kept)

    assert in_loop(ask)


def test_as_many_work_at_once_as_there_are_and_the_others_wait() -> None:
    async def ask(kept: LoopConnections) -> int:
        seen = await asyncio.gather(*(pid(kept) for _ in range(9)))
        return len(set(seen))

    assert in_loop(ask, most=3) == 3


def test_an_answer_that_does_not_come_is_given_up_with_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(kept: LoopConnections) -> bool:
        first = await pid(kept)
        monkeypatch.setattr(loop_connections, "ANSWER_SECONDS", 0)
        with pytest.raises(OperationalError, match="did not answer"):
            await kept.first_row("SELECT pg_sleep(3600)", {})
        monkeypatch.undo()
        return first != await pid(kept)

    assert in_loop(ask)


def test_a_caller_that_hangs_up_leaves_no_connection_that_is_still_at_work() -> None:
    async def ask(kept: LoopConnections) -> bool:
        first = await pid(kept)
        asking = asyncio.ensure_future(kept.first_row("SELECT pg_sleep(3600)", {}))
        await let_others_run()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return first != await pid(kept)

    assert in_loop(ask)
