"""Dials only what was checked: the resolver's answers are filtered, and every socket is judged by its number.

Why both: the filter turns mixed answers into the good ones; the socket check cannot be passed by, because it
sees the very address that is dialled.
"""

import asyncio
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from ipaddress import ip_address
from typing import Any, NamedTuple

import aiohappyeyeballs

from core.outbound.addresses import Reach, may_dial
from core.outbound.answers import AddressRefused
from core.outbound.wire import Wire

LOOK_UP_KEPT_SECONDS = 10
"""Why at all: a quick receiver is dialled many times at once."""
MOST_LOOK_UPS_KEPT = 1000
MOST_ADDRESSES = 16
"""Of one name. Why: a name server may list as many as it likes."""
_SECOND_TRY_SECONDS = 0.25
"""Source: https://www.rfc-editor.org/rfc/rfc8305#section-8."""
_RESOLVER_THREADS = ThreadPoolExecutor(max_workers=64, thread_name_prefix="resolve")
"""Why so many: names served by a hanging name server must not delay the others."""

AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]


class Origin(NamedTuple):
    """Who is at the other end of a connection: nobody else's requests go over it."""

    is_tls: bool
    host: str
    port: int


class Dialler:
    """Makes connections of one reach. It belongs to one event loop."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._look_ups: dict[tuple[str, int], tuple[asyncio.Future[list[AddressInfo]], float]] = {}

    async def dial(self, origin: Origin) -> Wire:
        """A fresh connection, its certificate checked. Raises: OSError, UnicodeError. The caller limits the time.

        An address whose handshake fails is left out, and the next one tried.
        """
        loop = asyncio.get_running_loop()
        addresses = await self._addresses(origin.host, origin.port)
        while True:
            made = await aiohappyeyeballs.start_connection(
                addresses,
                happy_eyeballs_delay=_SECOND_TRY_SECONDS,
                interleave=1,
                loop=loop,
                socket_factory=self._open_socket,
            )
            peer = made.getpeername()
            try:
                _, wire = await loop.create_connection(
                    lambda: Wire(loop),
                    sock=made,
                    ssl=_tls() if origin.is_tls else None,
                    server_hostname=origin.host.rstrip(".") if origin.is_tls else None,
                )
                return wire
            except OSError:
                addresses = [entry for entry in addresses if entry[4][:2] != peer[:2]]
                if not addresses:
                    raise

    async def _addresses(self, host: str, port: int) -> list[AddressInfo]:
        """Where a host may be dialled. Raises: OSError, UnicodeError."""
        literal = _literal(host, port)
        if literal is not None:
            return [literal]
        loop = asyncio.get_running_loop()
        asked = self._look_ups.get((host, port))
        if asked is None or asked[1] < loop.time():
            if len(self._look_ups) >= MOST_LOOK_UPS_KEPT:
                self._look_ups.clear()
            question = loop.run_in_executor(_RESOLVER_THREADS, self._resolve, host, port)
            asked = self._look_ups[host, port] = question, loop.time() + LOOK_UP_KEPT_SECONDS
        try:
            # Why shielded: who gives up waiting must not take the answer from the others.
            return await asyncio.shield(asked[0])
        except (OSError, UnicodeError):
            self._look_ups.pop((host, port), None)
            raise

    def _resolve(self, host: str, port: int) -> list[AddressInfo]:
        """The permitted addresses. Raises: AddressRefused when none is permitted; OSError, UnicodeError."""
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        permitted = [entry for entry in answers if may_dial(str(entry[4][0]), self._reach)]
        if not permitted:
            raise AddressRefused(host)
        return [(*entry[:3], "", entry[4]) for entry in permitted[:MOST_ADDRESSES]]

    def _open_socket(self, address: AddressInfo) -> socket.socket:
        family, kind, protocol, _, target = address
        if not may_dial(str(target[0]), self._reach):
            raise AddressRefused(str(target[0]))
        return socket.socket(family=family, type=kind, proto=protocol)


def _literal(host: str, port: int) -> AddressInfo | None:
    """The address that a host spells out; None for a name."""
    try:
        number = ip_address(host)
    except ValueError:
        return None
    if number.version == 4:  # noqa: PLR2004 - the version of the protocol
        return socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (host, port)
    return socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (host, port, 0, 0)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
