"""Dials only what was checked: the resolver's answers are filtered, and every socket is judged by its number.

Why both: the filter turns mixed answers into the good ones; the socket check cannot be passed by, because it
sees the very address that is dialled.
"""

import asyncio
import errno
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from core.outbound.addresses import Reach, may_dial
from core.outbound.destinations import UrlRefused, read_destination

TOTAL_SECONDS = 10
CONNECT_SECONDS = 5
"""Source: docs/webhooks.md, Delivery."""
BODY_SECONDS = 2
"""Why: once the status is known, a dripping body only holds a place that others could use."""
MAX_BODY_BYTES = 64 * 1024
KEEP_ALIVE_SECONDS = 1
"""Why so short: a receiver that closes an idle connection just as it is used again looks like a failure."""
_RESOLVER_THREADS = ThreadPoolExecutor(max_workers=64, thread_name_prefix="resolve")
"""Why so many: names served by a hanging name server must not delay the others."""


class AddressRefused(OSError):
    """No address of the host may be dialled."""

    def __init__(self, host: str) -> None:
        super().__init__(errno.EACCES, f"{host} has no address that may be dialled")


class Undelivered(Exception):
    """No answer came; ``reason`` is one stable word for logs and for the merchant."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a receiver answered: at most ``MAX_BODY_BYTES`` of it, never decompressed."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its letter case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


class GuardedResolver(AbstractResolver):
    """Resolves names and keeps only the addresses that may be dialled."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The permitted addresses. Raises: AddressRefused when there are answers and none is permitted."""
        answers = await asyncio.get_running_loop().run_in_executor(
            _RESOLVER_THREADS, lambda: socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
        )
        permitted = [entry for entry in answers if may_dial(str(entry[4][0]), self._reach)]
        if answers and not permitted:
            raise AddressRefused(host)
        return [
            ResolveResult(
                hostname=host,
                host=str(address[0]),
                port=port,
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, address in permitted
        ]

    async def close(self) -> None:
        """Nothing is held."""


class GuardedClient:
    """One pool of connections for one reach. Open it inside the event loop that uses it.

    Why one pool per reach: a connection that a test endpoint may keep to this machine must never serve a live one.
    """

    def __init__(self, reach: Reach, session: aiohttp.ClientSession) -> None:
        self._reach = reach
        self._session = session

    @classmethod
    async def open(cls, reach: Reach) -> Self:
        """A client with an empty pool."""
        connector = aiohttp.TCPConnector(
            resolver=GuardedResolver(reach),
            limit=0,
            keepalive_timeout=KEEP_ALIVE_SECONDS,
            ssl=_tls(),
            socket_factory=lambda address: _open_socket(address, reach),
        )
        session = aiohttp.ClientSession(
            connector=connector,
            timeout=aiohttp.ClientTimeout(total=TOTAL_SECONDS, connect=CONNECT_SECONDS, ceil_threshold=60),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            headers={"Accept-Encoding": "identity"},
        )
        return cls(reach, session)

    async def post(self, url: str, body: bytes, headers: dict[str, str]) -> Answer:
        """Send one POST and read a bounded answer; redirects are answers like any other.

        Raises: Undelivered.
        """
        return await self._ask("POST", url, body, headers)

    async def get(self, url: str, headers: dict[str, str]) -> Answer:
        """Read what is at an address, as bounded as an answer to a POST. Raises: Undelivered."""
        return await self._ask("GET", url, None, headers)

    async def _ask(self, method: str, url: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        try:
            destination = read_destination(url, self._reach)
            async with self._session.request(
                method, destination.url, data=body, headers=headers, allow_redirects=False
            ) as response:
                return Answer(
                    status=response.status, headers=tuple(response.headers.items()), body=await _read_bounded(response)
                )
        except UrlRefused as error:
            raise Undelivered("url_not_allowed") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Undelivered(_reason(error)) from error

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()


async def _read_bounded(response: aiohttp.ClientResponse) -> bytes:
    """At most ``MAX_BODY_BYTES`` of the body; what did not come in time or in order is left out.

    Why no failure: the status line has decided already.
    """
    if response.content.is_eof():
        return response.content.read_nowait(MAX_BODY_BYTES)
    received = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while len(received) < MAX_BODY_BYTES and (part := await response.content.readany()):
                received += part
    except (aiohttp.ClientError, OSError, ValueError):
        response.close()
    if not response.content.at_eof():
        response.close()
    return bytes(received[:MAX_BODY_BYTES])


def _open_socket(address: tuple[Any, ...], reach: Reach) -> socket.socket:
    family, kind, protocol, _, target = address
    if not may_dial(str(target[0]), reach):
        raise AddressRefused(str(target[0]))
    return socket.socket(family=family, type=kind, proto=protocol)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (AddressRefused, "address_not_allowed"),
    (aiohttp.ConnectionTimeoutError, "connect_timeout"),
    (TimeoutError, "timeout"),
    (aiohttp.InvalidURL, "url_not_allowed"),
    (aiohttp.ClientSSLError, "tls_error"),
    (ssl.SSLError, "tls_error"),
    (aiohttp.ClientConnectorDNSError, "dns_error"),
    (UnicodeError, "dns_error"),
    (aiohttp.ClientConnectorError, "connection_failed"),
    (aiohttp.ServerDisconnectedError, "disconnected"),
    (aiohttp.ClientOSError, "disconnected"),
)


def _reason(error: BaseException) -> str:
    if isinstance(getattr(error, "os_error", None), AddressRefused):
        return "address_not_allowed"
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), "invalid_response")
