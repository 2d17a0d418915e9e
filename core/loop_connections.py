"""Connections to PostgreSQL that an event loop keeps: it asks, serves others meanwhile, and goes on with the answer.

Why beside the framework's: those belong to threads, and to hand a request to a thread and its answer back costs more
than some requests themselves. Source: docs/adr/0077.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Final, TypeVar

import psycopg
from django.db import OperationalError, connections
from psycopg.errors import ReadOnlySqlTransaction
from psycopg.types.string import TextLoader

from core.clock import ticks
from core.errors import TemporarilyUnavailable

WAIT_SECONDS: Final = 10
"""How long a statement waits for a place, and then for a connection that lives, before its request is sent away."""
ANSWER_SECONDS: Final = 35
"""How long an answer may take. Why longer than any statement may: only a database that is away is given up."""
TRUSTED_SECONDS: Final = 1.0
"""A connection that did nothing for longer is asked whether it lives, as ``core.postgresql`` asks its own."""

_NOT_KEPT = frozenset({None, ReadOnlySqlTransaction.sqlstate})
"""Where it is not known what was done, and where a server leads no more."""
Given = TypeVar("Given")
Row = tuple[Any, ...]
Connection = psycopg.AsyncConnection[Row]


class LoopConnections:
    """At most so many, each opened when it is first needed, and replaced when it is lost."""

    def __init__(self, most: int) -> None:
        self._places = asyncio.Semaphore(most)
        self._free: deque[tuple[Connection, float]] = deque()

    @cached_property
    def _errors(self) -> AbstractContextManager[None]:
        """Raises the driver's errors as the framework's. Why kept: see ``core.bulk.as_bigint``."""
        errors: AbstractContextManager[None] = connections["default"].wrap_database_errors
        return errors

    async def first_row(self, statement: str, values: Mapping[str, Any]) -> Row | None:
        """The first row of a statement, which is a transaction by itself.

        Raises: TemporarilyUnavailable when there is no connection in time, and nothing was done; DatabaseError, whose
        cause is the driver's: where that has no ``sqlstate``, it is not known what was done.
        """
        if self._places.locked():
            await _in_time(self._places.acquire())
        else:
            await self._places.acquire()
        try:
            with self._errors:
                return await self._ask(statement, values)
        finally:
            self._places.release()

    async def _ask(self, statement: str, values: Mapping[str, Any]) -> Row | None:
        """Why a connection is only kept after an answer or a refusal: after anything else it may still be at work."""
        is_rested = not self._free or ticks() - self._free[-1][1] > TRUSTED_SECONDS
        is_kept, connection = True, await _in_time(self._living()) if is_rested else self._free.pop()[0]
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                cursor = await connection.execute(statement, values)
                return await cursor.fetchone()
        except TimeoutError:
            is_kept = False
            raise OperationalError("the database did not answer") from None
        except BaseException as error:
            is_kept = isinstance(error, psycopg.Error) and error.sqlstate not in _NOT_KEPT and not connection.broken
            raise
        finally:
            if is_kept:
                self._free.append((connection, ticks()))
            else:
                await connection.close()

    async def _living(self) -> Connection:
        """One of those that are free and answer, the last used first; else a new one."""
        while self._free:
            connection, _ = self._free.pop()
            try:
                await connection.execute("")
            except psycopg.Error:
                await connection.close()
            except BaseException:
                await connection.close()
                raise
            else:
                return connection
        return await _opened()


async def _in_time(wait: Awaitable[Given]) -> Given:
    """What is waited for. Raises: TemporarilyUnavailable when it takes too long."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            return await wait
    except TimeoutError:
        raise TemporarilyUnavailable from None


async def _opened() -> Connection:
    """As the framework opens its own: it reads moments in UTC, and JSON as the text that it is.

    Why no whole table is read, where a statement is prepared: what is asked here finds rows by their keys, and a plan
    that was made while a table was small would read all of it when it has grown, until its statistics are made again.
    """
    wanted = connections["default"].get_connection_params()
    own = {name: value for name, value in wanted.items() if name not in {"context", "cursor_factory"}}
    opened: Connection = await psycopg.AsyncConnection.connect(**own, autocommit=True)
    opened.adapters.register_loader("jsonb", TextLoader)
    try:
        await opened.execute("SET TIME ZONE 'UTC'")
        if opened.prepare_threshold is not None:
            await opened.execute("SET enable_seqscan = off")
    except BaseException:
        await opened.close()
        raise
    return opened
