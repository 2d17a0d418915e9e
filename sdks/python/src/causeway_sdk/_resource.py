"""What the generated module stands on: models over the JSON that came, lists, and methods that send a plan.

Unknown keys and values stay in a model; a value is converted when it is read. A list reads page after page while it is
looped over.
"""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from causeway_sdk import _http
from causeway_sdk._core import as_object, decimal, encode, moment, plan
from causeway_sdk._http import Waiting

if TYPE_CHECKING:
    from typing import Self

    from causeway_sdk._core import Answer, Plan

Item = TypeVar("Item")
Given = Mapping[str, Any]
_SHOWN = ("id", "type", "status")
_KIND = re.compile(r"(list\[|dict\[str, )?(\w*)")
_PLAIN: dict[str, Callable[[Any], Any]] = {"Decimal": decimal, "datetime": moment}


class Model:
    """One JSON object. A key that is described can be read as an attribute, of the described type.

    A key that the service sent and this version does not know is in ``to_dict()``, and an attribute without a type.
    ``raw`` is the HTTP answer that it came in, for an answer itself; None for what stands inside of one.
    """

    raw: Answer | None = None

    def __init__(self, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise TypeError(f"{type(self).__name__} is an object, not {type(values).__name__}")
        self._values = cast("Mapping[str, Any]", values)

    def to_dict(self) -> dict[str, Any]:
        """What came, as it came; numbers with a point are Decimals."""
        return dict(self._values)

    def to_json(self) -> str:
        """What came, as JSON, every number exact."""
        return encode(self._values)

    if not TYPE_CHECKING:  # Why hidden: with it, a type checker would take every misspelt name.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            reader, is_optional = _how(type(self), name)
            if name not in self._values and not is_optional:
                raise AttributeError(f"the service sent no {name} in this {type(self).__name__}")
            value = self._values.get(name)
            return value if reader is None or value is None else reader(value)

    def with_raw(self, raw: Answer) -> Self:
        """The same, with the answer it came in."""
        self.raw = raw
        return self

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((type(self), self._values.get("id")))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self._values[name]!r}" for name in _SHOWN if name in self._values)
        return f"{type(self).__name__}({shown})"


@lru_cache(maxsize=1024)
def _how(cls: type, name: str) -> tuple[Callable[[Any], Any] | None, bool]:
    """What reads a key's value, and whether it may be missing. Why from the annotation: the type stands there alone."""
    owner = next((one for one in cls.__mro__ if name in getattr(one, "__annotations__", {})), None)
    kind = str(owner.__annotations__[name]) if owner else ""
    around, inner = _KIND.match(kind).groups()  # type: ignore[union-attr]  # every part may be empty
    named = getattr(sys.modules[owner.__module__], inner, None) if owner else None
    reader = named if isinstance(named, type) and issubclass(named, Model) else _PLAIN.get(inner)
    if reader and around:
        reader = partial(_many if around == "list[" else _each, reader)
    return reader, kind.endswith("| None")


def _many(reader: Callable[[Any], Any], values: list[Any]) -> list[Any]:
    return [reader(value) for value in values]


def _each(reader: Callable[[Any], Any], values: dict[str, Any]) -> dict[str, Any]:
    return {key: reader(value) for key, value in values.items()}


class Page(Generic[Item]):
    """One answer of a list. ``next_cursor``: where the list goes on, or None."""

    def __init__(self, answer: Answer, reader: Callable[[Any], Item]) -> None:
        self.raw = answer
        self._values = values = as_object(answer.value)
        rows: list[Any] = values.get("data") or []
        self.data: list[Item] = [reader(value) for value in rows]
        cursor = values.get("next_cursor") if values.get("has_more", True) else None
        self.next_cursor: str | None = cursor if isinstance(cursor, str) and cursor else None

    def to_dict(self) -> dict[str, Any]:
        """What came, as it came."""
        return dict(self._values)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class _Walk:
    """Where a list is. Why the seen ones are kept: a cursor that comes again would go round for ever."""

    def __init__(self, query: dict[str, Any], parameter: str) -> None:
        self._parameter = parameter if query.get("ending_before") is None else "ending_before"
        self._query = query
        self._seen = {query.get(self._parameter)}

    def after(self, cursor: str | None) -> dict[str, Any] | None:
        """The query of the next page, or None: that was the last."""
        if not (cursor and self._parameter) or cursor in self._seen:
            return None
        self._seen.add(cursor)
        return {**self._query, self._parameter: cursor}


class Pages(Generic[Item]):
    """A list that asks when it is looped over, and each time from its beginning."""

    def __init__(self, query: dict[str, Any], cursor: str, ask: Callable[[dict[str, Any]], Page[Item]]) -> None:
        self._query, self._cursor, self._ask = query, cursor, ask

    def pages(self) -> Iterator[Page[Item]]:
        """Page after page."""
        walk, query = _Walk(self._query, self._cursor), self._query
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


class AsyncPages(Generic[Item]):
    """The same for ``async for``."""

    def __init__(
        self, query: dict[str, Any], cursor: str, ask: Callable[[dict[str, Any]], Awaitable[Page[Item]]]
    ) -> None:
        self._query, self._cursor, self._ask = query, cursor, ask

    async def pages(self) -> AsyncIterator[Page[Item]]:
        """Page after page."""
        walk, query = _Walk(self._query, self._cursor), self._query
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


Found = TypeVar("Found", bound=Model)


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
        self, verb: str, path: str, reader: Callable[[Any], Found], given: Given, amounts: Collection[str] = ()
    ) -> Found:
        answer = self._client.send(plan(verb, path, _own(given), amounts=amounts))
        return reader(answer.value).with_raw(answer)

    def _list(
        self, path: str, reader: Callable[[Any], Item], given: Given, amounts: Collection[str] = (), cursor: str = ""
    ) -> Pages[Item]:
        def ask(query: dict[str, Any]) -> Page[Item]:
            return Page(self._client.send(plan("GET", path, query, amounts=amounts)), reader)

        return Pages(_own(given), cursor, ask)

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
        self, verb: str, path: str, reader: Callable[[Any], Found], given: Given, amounts: Collection[str] = ()
    ) -> Found:
        answer = await self._client.send(plan(verb, path, _own(given), amounts=amounts))
        return reader(answer.value).with_raw(answer)

    def _list(
        self, path: str, reader: Callable[[Any], Item], given: Given, amounts: Collection[str] = (), cursor: str = ""
    ) -> AsyncPages[Item]:
        async def ask(query: dict[str, Any]) -> Page[Item]:
            return Page(await self._client.send(plan("GET", path, query, amounts=amounts)), reader)

        return AsyncPages(_own(given), cursor, ask)

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


def _own(given: Given) -> dict[str, Any]:
    """A method's arguments, from its ``locals()``."""
    return {name: value for name, value in given.items() if name != "self"}
