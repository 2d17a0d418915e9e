"""Lists that read page after page while they are looped over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from causeway_sdk._core import Answer, Operation

Item = TypeVar("Item")


class Page(Generic[Item]):
    """One answer of a list. ``next_cursor``: where the list goes on, or None."""

    def __init__(self, values: dict[str, Any], operation: Operation, reader: Callable[[Any], Item]) -> None:
        self._values = values
        rows: list[Any] = values.get(operation.items) or []
        self.data: list[Item] = [reader(value) for value in rows]
        cursor = values.get(operation.next) if values.get(operation.more, True) else None
        self.next_cursor: str | None = cursor if isinstance(cursor, str) and cursor else None
        self.raw: Answer | None = None

    def to_dict(self) -> dict[str, Any]:
        """What came, as it came."""
        return dict(self._values)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class _Walk:
    """Where a list is. Why the seen ones are kept: a cursor that comes again would go round for ever."""

    def __init__(self, operation: Operation, query: dict[str, Any]) -> None:
        backward = query.get("ending_before") is not None
        self._parameter = "ending_before" if backward else operation.cursor
        self._query = query
        self._seen = {query.get(self._parameter or "")}

    def after(self, cursor: str | None) -> dict[str, Any] | None:
        """The query of the next page, or None: that was the last."""
        if cursor is None or self._parameter is None or cursor in self._seen:
            return None
        self._seen.add(cursor)
        return {**self._query, self._parameter: cursor}


class Pages(Generic[Item]):
    """A list that asks when it is looped over, and each time from its beginning."""

    def __init__(
        self, operation: Operation, query: dict[str, Any], ask: Callable[[dict[str, Any]], Page[Item]]
    ) -> None:
        self._operation, self._query, self._ask = operation, query, ask

    def pages(self) -> Iterator[Page[Item]]:
        """Page after page."""
        walk, query = _Walk(self._operation, self._query), self._query
        while True:
            page = self._ask(query)
            yield page
            following = walk.after(page.next_cursor)
            if following is None:
                return
            query = following

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.data

    def first(self) -> Item | None:
        """The first one, or None where there is none."""
        return next(iter(self), None)

    def __repr__(self) -> str:
        return f"Pages({self._operation.name})"


class AsyncPages(Generic[Item]):
    """The same for ``async for``."""

    def __init__(
        self, operation: Operation, query: dict[str, Any], ask: Callable[[dict[str, Any]], Awaitable[Page[Item]]]
    ) -> None:
        self._operation, self._query, self._ask = operation, query, ask

    async def pages(self) -> AsyncIterator[Page[Item]]:
        """Page after page."""
        walk, query = _Walk(self._operation, self._query), self._query
        while True:
            page = await self._ask(query)
            yield page
            following = walk.after(page.next_cursor)
            if following is None:
                return
            query = following

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.data:
                yield item

    async def first(self) -> Item | None:
        """The first one, or None where there is none."""
        async for item in self:
            return item
        return None

    def __repr__(self) -> str:
        return f"AsyncPages({self._operation.name})"
