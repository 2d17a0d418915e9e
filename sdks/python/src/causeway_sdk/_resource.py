"""What the generated methods stand on: a plan goes out, a typed object comes back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from causeway_sdk import _http
from causeway_sdk._core import Operation, plan, value_of
from causeway_sdk._models import Model
from causeway_sdk._pages import AsyncPages, Page, Pages
from causeway_sdk._waiting import Waiting
from causeway_sdk._wire import as_object

if TYPE_CHECKING:
    from causeway_sdk._core import Answer, Plan

Found = TypeVar("Found", bound=Model)
Item = TypeVar("Item")
Parts = Mapping[str, Any]


class Sends(Protocol):
    """What a blocking client can do."""

    def send(self, plan: Plan) -> Answer:
        """Send a planned request. Raises: APIConnectionError, APIError."""
        ...


class AsyncSends(Protocol):
    """The same, awaited."""

    async def send(self, plan: Plan) -> Answer:
        """Send a planned request. Raises: APIConnectionError, APIError."""
        ...


class Resource:
    """The methods of one service, which block."""

    def __init__(self, client: Sends) -> None:
        self._client = client

    def _ask(
        self,
        operation: Operation,
        reader: Callable[[Any], Found],
        path: Parts | None = None,
        query: Parts | None = None,
        body: Parts | None = None,
        key: str | None = None,
    ) -> Found:
        answer = self._client.send(plan(operation, path, query, body, key))
        return reader(value_of(answer)).with_raw(answer)

    def _list(
        self, operation: Operation, reader: Callable[[Any], Item], path: Parts | None, query: dict[str, Any]
    ) -> Pages[Item]:
        def ask(asked: dict[str, Any]) -> Page[Item]:
            return _page(self._client.send(plan(operation, path, asked)), operation, reader)

        return Pages(operation, query, ask)

    def _wait(
        self, look: Callable[[int | None], Found], until: str | Collection[str] | None, timeout: float, *, holds: bool
    ) -> Found:
        waiting = Waiting(until, timeout, holds=holds)
        while True:
            found = look(waiting.hold())
            pause = waiting.pause_after(found)
            if pause is None:
                return found
            _http.pause(pause)


class AsyncResource:
    """The same, awaited."""

    def __init__(self, client: AsyncSends) -> None:
        self._client = client

    async def _ask(
        self,
        operation: Operation,
        reader: Callable[[Any], Found],
        path: Parts | None = None,
        query: Parts | None = None,
        body: Parts | None = None,
        key: str | None = None,
    ) -> Found:
        answer = await self._client.send(plan(operation, path, query, body, key))
        return reader(value_of(answer)).with_raw(answer)

    def _list(
        self, operation: Operation, reader: Callable[[Any], Item], path: Parts | None, query: dict[str, Any]
    ) -> AsyncPages[Item]:
        async def ask(asked: dict[str, Any]) -> Page[Item]:
            return _page(await self._client.send(plan(operation, path, asked)), operation, reader)

        return AsyncPages(operation, query, ask)

    async def _wait(
        self,
        look: Callable[[int | None], Awaitable[Found]],
        until: str | Collection[str] | None,
        timeout: float,
        *,
        holds: bool,
    ) -> Found:
        waiting = Waiting(until, timeout, holds=holds)
        while True:
            found = await look(waiting.hold())
            pause = waiting.pause_after(found)
            if pause is None:
                return found
            await _http.async_pause(pause)


def _page(answer: Answer, operation: Operation, reader: Callable[[Any], Item]) -> Page[Item]:
    page = Page(as_object(value_of(answer)), operation, reader)
    page.raw = answer
    return page
