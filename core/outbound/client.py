"""Asks at addresses that others gave us: each is read and judged, a connection dialled or taken, and asked once."""

import asyncio
from functools import lru_cache
from typing import NamedTuple, Self

from core.outbound.addresses import Reach
from core.outbound.answers import (
    CONNECT_TIMEOUT,
    INVALID_RESPONSE,
    TOTAL_SECONDS,
    URL_NOT_ALLOWED,
    Answer,
    Undelivered,
    word_for,
)
from core.outbound.destinations import UrlRefused, read_destination
from core.outbound.dialling import Dialler, Origin
from core.outbound.pool import Pool
from core.outbound.wire import Wire

CONNECT_SECONDS = 5
"""Source: docs/guides/webhooks.md, Delivery."""


class _Opening(NamedTuple):
    """Where a request goes, and its first lines."""

    origin: Origin
    lines: str


class GuardedClient:
    """One pool of connections for one reach. It belongs to the event loop that it was opened in.

    Why one pool per reach: a connection that a test endpoint may keep to this machine must never serve a live one.
    """

    def __init__(self, reach: Reach, loop: asyncio.AbstractEventLoop) -> None:
        self._reach, self._loop = reach, loop
        self._dialler, self._pool = Dialler(reach), Pool()

    @classmethod
    async def open(cls, reach: Reach) -> Self:
        """A client with an empty pool."""
        return cls(reach, asyncio.get_running_loop())

    async def post(self, url: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Send one POST and read a bounded answer; redirects are answers like any other.

        Raises: Undelivered.
        """
        return await self._ask("POST", url, f"Accept: */*\r\nContent-Length: {len(body)}\r\n", headers, body)

    async def get(self, url: str, headers: dict[str, str]) -> Answer:
        """Read what is at an address, as bounded as an answer to a POST. Raises: Undelivered."""
        return await self._ask("GET", url, "", headers, b"")

    async def _ask(self, method: str, url: str, last: str, headers: dict[str, str], body: bytes) -> Answer:
        opening = _opening(method, url, self._reach)
        if opening is None:
            raise Undelivered(URL_NOT_ALLOWED)
        request = _head(opening.lines, headers, last) + body
        now = self._loop.time()
        wire = self._pool.take(opening.origin, now) or await self._dial(opening.origin)
        answer = await wire.ask(request, now + TOTAL_SECONDS)
        self._pool.rest(opening.origin, wire, self._loop.time())
        return answer

    async def _dial(self, origin: Origin) -> Wire:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await self._dialler.dial(origin)
        except TimeoutError as error:
            raise Undelivered(CONNECT_TIMEOUT) from error
        except (OSError, ValueError) as error:
            raise Undelivered(word_for(error)) from error

    async def tidy(self) -> None:
        """End connections that rested too long or are too many, and let those go that others ended."""
        await asyncio.sleep(0)  # What the loop has not yet heard of is heard first.
        self._pool.tidy(self._loop.time())
        await asyncio.sleep(0)

    async def close(self) -> None:
        """Close every connection that rests; none may be under way."""
        self._pool.cut_all()
        await asyncio.sleep(0)


@lru_cache(maxsize=4096)
def _opening(method: str, text: str, reach: Reach) -> _Opening | None:
    """How a request to this address begins; None where it must not be asked."""
    try:
        url = read_destination(text, reach).url
    except UrlRefused:
        return None
    origin = Origin(url.scheme == "https", url.raw_host or "", url.port or 0)
    lines = (
        f"{method} {url.raw_path_qs} HTTP/1.1\r\nHost: {url.host_port_subcomponent}\r\nAccept-Encoding: identity\r\n"
    )
    return _Opening(origin, lines)


def _head(lines: str, headers: dict[str, str], last: str) -> bytes:
    """All lines of a request's head. Raises: Undelivered where a header would end its line by itself."""
    given = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    if given.count("\n") != len(headers) or given.count("\r") != len(headers) or "\x00" in given:
        raise Undelivered(INVALID_RESPONSE)
    return f"{lines}{given}{last}\r\n".encode()
