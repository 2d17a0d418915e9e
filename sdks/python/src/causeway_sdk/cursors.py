"""Events in their order, each handed on once, from a cursor that is kept: in a file, or where you say."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from causeway_sdk import _http
from causeway_sdk._core import Answer, APIConnectionError, APIError, as_object, plan
from causeway_sdk._resource import AsyncResource, Resource

if TYPE_CHECKING:
    from causeway_sdk._core import Plan
    from causeway_sdk._generated import Event
    from causeway_sdk._resource import AsyncSends, Sends

    Types = str | Sequence[str] | None

EVENTS = "/api/public/v1/events"
AT_ONCE = 100
REMEMBERED = 1000
"""Ids that are known again. Why: a service that was put back to a copy of before lists again what happened since."""
PAUSE = 2.0
"""Seconds until a service that is away is asked again."""


class CursorStore(Protocol):
    """Where a cursor is kept between two runs: a file, a row."""

    def load(self) -> str | None:
        """The cursor that was saved last; None before the first."""
        ...

    def save(self, cursor: str) -> object:
        """Keep a cursor."""
        ...


class AsyncCursorStore(Protocol):
    """The same, awaited."""

    async def load(self) -> str | None:
        """The cursor that was saved last; None before the first."""
        ...

    async def save(self, cursor: str) -> object:
        """Keep a cursor."""
        ...


class CursorFile:
    """A cursor in a file, which is replaced whole: it holds the new one or the one before, and never a part."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def load(self) -> str | None:
        """The cursor that was saved last; None before the first."""
        try:
            return self._path.read_text(encoding="ascii").strip() or None
        except FileNotFoundError:
            return None

    def save(self, cursor: str) -> None:
        """Replace the file, once the new one is on the disk."""
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with draft.open("w", encoding="ascii") as file:
            file.write(cursor)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)


class _Place:
    """Where a reader is, without I/O. ``cursor`` is behind what was handed on last."""

    def __init__(self, cursor: str | None, types: Types, resource_id: str | None, *, waits: bool) -> None:
        self.cursor = cursor
        self._query = {"limit": AT_ONCE, "type": types, "resource_id": resource_id}
        self._hold = _http.LONGEST_HOLD if waits else None
        self._given: list[tuple[str, Any]] = []
        self._end = cursor
        self._known: OrderedDict[str, None] = OrderedDict()
        self._asked = _http.now()
        self.is_over, self.rest = False, 0.0

    def ask(self) -> Plan:
        """The next question."""
        self._asked = _http.now()
        return plan("GET", EVENTS, {**self._query, "after": self.cursor, "wait": self._hold})

    def read(self, answer: Answer) -> None:
        """Take an answer in: what it brings, and whether that was all."""
        page = as_object(answer.value)
        self._given = list(zip(page["cursors"], page["data"], strict=True))
        self._end = page["cursor"]
        self.is_over = self._hold is None and not page["has_more"]
        is_empty = not self._given and not page["has_more"]
        self.rest = _http.rest_since(self._asked) if is_empty and self._hold else 0.0

    def next(self) -> Event | None:
        """The next event of the last answer that was not handed on before; None where it has no more."""
        from causeway_sdk._generated import event_of

        while self._given:
            self.cursor, values = self._given.pop(0)
            if values["id"] not in self._known:
                self._known[values["id"]] = None
                if len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
                return event_of(values)
        self.cursor = self._end
        return None

    def pause_after(self, error: APIConnectionError | APIError) -> float:
        """How long to pause before the same is asked again. Raises: the error, where that would not help."""
        if self._hold is None or not error.retryable:
            raise error
        return PAUSE


class Following(Iterator["Event"]):
    """Each event once, in order, for ever. ``cursor`` is where to go on behind the event that came last."""

    def __init__(self, client: Sends, place: _Place) -> None:
        self._client, self._place = client, place

    @property
    def cursor(self) -> str | None:
        """Save it once the event is done with; nothing that follows it is missed."""
        return self._place.cursor

    def __next__(self) -> Event:
        place = self._place
        while True:
            event = place.next()
            if event is not None:
                return event
            if place.is_over:
                raise StopIteration
            if place.rest:
                _http.pause(place.rest)
            try:
                place.read(self._client.send(place.ask()))
            except (APIConnectionError, APIError) as error:
                _http.pause(place.pause_after(error))


class AsyncFollowing(AsyncIterator["Event"]):
    """The same for ``async for``."""

    def __init__(self, client: AsyncSends, place: _Place) -> None:
        self._client, self._place = client, place

    @property
    def cursor(self) -> str | None:
        """Save it once the event is done with; nothing that follows it is missed."""
        return self._place.cursor

    async def __anext__(self) -> Event:
        place = self._place
        while True:
            event = place.next()
            if event is not None:
                return event
            if place.is_over:
                raise StopAsyncIteration
            if place.rest:
                await _http.async_pause(place.rest)
            try:
                place.read(await self._client.send(place.ask()))
            except (APIConnectionError, APIError) as error:
                await _http.async_pause(place.pause_after(error))


class EventResource(Resource):
    """What events have beside the methods of the description."""

    def follow(self, cursor: str | None = None, *, type: Types = None, resource_id: str | None = None) -> Following:
        """Loop over events as they happen, from a cursor on; without one, from the oldest that is kept.

        Waits for what comes, through outages too. Save ``cursor`` of what this returns behind each event.
        Raises, in the loop: APIError, ``cursor_expired`` after 29 days away.
        """
        return Following(self._client, _Place(cursor, type, resource_id, waits=True))

    def catch_up(
        self,
        cursor: str | None,
        handler: Callable[[Event, str], object],
        *,
        store: CursorStore | None = None,
        type: Types = None,
        resource_id: str | None = None,
    ) -> str | None:
        """Hand on each event that was stored by now, in order, and return the cursor behind the last one.

        The handler gets the event and its cursor: who saves both in the transaction of the work does each exactly once.
        With a ``store`` the cursor is loaded from it and saved behind each event, so what ends the program between the
        two makes that event come again; ``cursor`` is where the first run begins. An error of the handler ends this,
        and the next run begins at that event. Raises: what the handler raises; APIConnectionError, APIError.
        """
        begun = store.load() if store else None
        following = Following(self._client, _Place(begun or cursor, type, resource_id, waits=False))
        saved = begun
        for event in following:
            saved = following.cursor or ""
            handler(event, saved)
            if store:
                store.save(saved)
        if store and following.cursor and following.cursor != saved:
            store.save(following.cursor)
        return following.cursor


class AsyncEventResource(AsyncResource):
    """The same, awaited."""

    def follow(
        self, cursor: str | None = None, *, type: Types = None, resource_id: str | None = None
    ) -> AsyncFollowing:
        """Loop over events as they happen, with ``async for``."""
        return AsyncFollowing(self._client, _Place(cursor, type, resource_id, waits=True))

    async def catch_up(
        self,
        cursor: str | None,
        handler: Callable[[Event, str], Awaitable[object]],
        *,
        store: AsyncCursorStore | None = None,
        type: Types = None,
        resource_id: str | None = None,
    ) -> str | None:
        """Hand on each event that was stored by now, in order, and return the cursor behind the last one."""
        begun = await store.load() if store else None
        following = AsyncFollowing(self._client, _Place(begun or cursor, type, resource_id, waits=False))
        saved = begun
        async for event in following:
            saved = following.cursor or ""
            await handler(event, saved)
            if store:
                await store.save(saved)
        if store and following.cursor and following.cursor != saved:
            await store.save(following.cursor)
        return following.cursor
