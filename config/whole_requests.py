"""Takes requests in whole before a thread serves them, and gives answers out after it: no thread waits for a caller.

A body that never comes, a reader that stops, an answer that is not there yet: each costs a connection and some
kilobytes, until its time is over. Must not know what is served.
"""

import asyncio
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from itertools import chain
from typing import IO, Any, Final
from wsgiref.util import FileWrapper

from django.db import close_old_connections, connections
from django.http import HttpResponse

from config.leftovers import Leftovers, WritesLater
from config.threads import Threads
from core.clock import ticks
from core.errors import RequestTimeout, ServiceError, TemporarilyUnavailable
from core.exception_handler import json_error
from core.later import PLACE, Later, Look
from core.request_id import named

BODY_SECONDS: Final = 10
"""How long a whole body may take to come."""
PROGRESS_SECONDS: Final = 5
"""How long a body may stand still, and how long a reader may."""
MOST_KEPT_BYTES: Final = 1024 * 1024
"""How much of a body is kept: more than any form or endpoint takes, so that each can refuse in its own words."""
MOST_DISCARDED_BYTES: Final = 32 * 1024 * 1024
"""What is still read beyond. Why at all: a client that is cut off while it sends never sees why."""
THREAD_SECONDS: Final = 10
"""How long a request waits for a thread before it is told to come back."""
FILE_SECONDS: Final = 60
"""How long a file that is made line by line, such as an export, waits for those before it."""
IN_MEMORY_BYTES: Final = 1024 * 1024
"""Longer answers, such as exports, are written to a file first."""
PIECE_BYTES: Final = 64 * 1024

_SAY_A_BODY = (b"content-length", b"transfer-encoding")

Environment = dict[str, Any]
Application = Callable[[Environment, Any], Any]
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

logger = logging.getLogger("causeway.web")


class Gone(Exception):
    """The caller is not there any more."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A whole answer, which is sent without asking the application again; a long one stands in a file of its own."""

    status: int
    headers: Sequence[tuple[str, str]]
    content: bytes | IO[bytes]


First = Callable[[Environment], Awaitable[Answer | None]]
Note = Callable[[Environment, Answer, float], None]
"""What hears of each request: its answer, and how many seconds it took from its last byte to that."""


class WholeRequests:
    """An ASGI application over a WSGI one. ``threads`` is how many requests are served at once.

    ``leftovers`` is what requests leave to be written down once they were answered. ``first`` may answer a request in
    the event loop, without a thread; what it gives None for goes on to the application. ``note`` hears of each.
    Why not Django's own: it gives each request a thread of its own, and with it a database connection of its own.
    """

    def __init__(
        self,
        application: Application,
        threads: int,
        leftovers: Sequence[WritesLater] = (),
        first: First | None = None,
        note: Note | None = None,
    ) -> None:
        self._application, self._first, self._note = application, first, note
        self._serving = Threads("web", threads, THREAD_SECONDS)
        self._leftovers = Leftovers(leftovers, self._serving)
        self._writing = Threads("files", 1, FILE_SECONDS)
        self._rooms: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Whatever else a server may ask for (lifespan, websockets) is not spoken here."""
        if scope["type"] != "http":
            return
        try:
            await _send(await self._answer(scope, receive), send)
        except (Gone, TimeoutError):
            logger.info("a caller was given up")
        finally:
            self._leftovers.see_to_them()

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        """Raises: Gone."""
        try:
            environment = _environment(scope, await _body(scope, receive))
        except RequestTimeout as refusal:
            return _refused(refusal)
        began, later = ticks(), Later()
        answer = await self._answer_to(environment, later)
        took = ticks() - began
        if later.look is not None:
            answer = await self._awaited(answer, later, receive)
        if self._note is not None:
            self._note(environment, answer, took)
        return answer

    async def _answer_to(self, environment: Environment, later: Later) -> Answer:
        try:
            if self._first is not None and (answer := await self._first(environment)) is not None:
                return answer
            environment[PLACE] = later
            responses = await self._serving.run(lambda: _asked(self._application, environment))
            answer = responses if isinstance(responses, Answer) else await self._writing.run(partial(_made, responses))
        except ServiceError as refusal:
            return _refused(refusal)
        return answer

    async def _awaited(self, answer: Answer, later: Later, receive: Receive) -> Answer:
        """What comes while the caller waits; the answer there is, where nothing did or a room is full. Raises: Gone."""
        if any(self._rooms[name] >= most for name, most in later.rooms):
            return answer
        self._rooms.update(name for name, _ in later.rooms)
        try:
            found = await self._found(later, receive)
        finally:
            self._rooms.subtract(name for name, _ in later.rooms)
            self._rooms += Counter()  # forgets the empty ones
        return answer if found is None else _instead(answer, found)

    async def _found(self, later: Later, receive: Receive) -> Answer | None:
        """What was waited for; None where it did not come in time. Raises: Gone."""
        left = asyncio.ensure_future(_hung_up(receive))
        looks = [later.look] * max(1, int(later.seconds / later.every))
        looks[-1] = later.at_end or later.look
        try:
            for look in looks:
                if (await asyncio.wait({left}, timeout=later.every))[0]:
                    raise Gone
                if look and (found := await self._serving.run(partial(_looked, look))) is not None:
                    return found
        except TemporarilyUnavailable:
            return None
        finally:
            left.cancel()
        return None


def _asked(application: Application, environment: Environment) -> Answer | Callable[[], Answer]:
    """The application's answer; for one that is made while it is read, the work of making it."""
    responses: list[tuple[str, list[tuple[str, str]]]] = []
    given = application(environment, lambda status, headers, _failure=None: responses.append((status, headers)))

    def make() -> Answer:
        try:
            content = _taken(given)
        finally:
            if (close := getattr(given, "close", None)) is not None:  # PEP 3333: an answer need not have one
                close()
        status, headers = responses[-1]
        return Answer(status=int(status.split(" ", 1)[0]), headers=headers, content=content)

    return make if getattr(given, "streaming", False) else make()


def _made(make: Callable[[], Answer]) -> Answer:
    """An answer that takes its time. Why the connection is closed: its thread may have nothing to do for days."""
    try:
        return make()
    finally:
        connections.close_all()


def _taken(pieces: Iterable[bytes]) -> bytes | IO[bytes]:
    """All of them."""
    taken, size, rest = [], 0, iter(pieces)
    for piece in rest:
        taken.append(piece)
        size += len(piece)
        if size > IN_MEMORY_BYTES:
            file = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed once it was sent
            file.writelines(chain(taken, rest))
            file.seek(0)
            return file
    return b"".join(taken)


async def _hung_up(receive: Receive) -> None:
    """Ends when the caller is gone. Why a loop: a server may still say that the body is over."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(scope: Scope, receive: Receive) -> bytes:
    """The beginning of the body; the rest is read and forgotten. Raises: RequestTimeout, Gone."""
    kept, seen, more = bytearray(), 0, any(name in _SAY_A_BODY for name, _ in scope["headers"])
    clock = asyncio.get_running_loop().time
    ends_at = clock() + BODY_SECONDS
    try:
        while more and seen < MOST_DISCARDED_BYTES:
            async with asyncio.timeout_at(min(ends_at, clock() + PROGRESS_SECONDS)):
                message = await receive()
            if message["type"] == "http.disconnect":
                raise Gone
            piece, more = message.get("body", b""), message.get("more_body", False)
            seen += len(piece)
            kept += piece[: MOST_KEPT_BYTES - len(kept)]
    except TimeoutError:
        raise RequestTimeout from None
    return bytes(kept)


def _environment(scope: Scope, body: bytes) -> Environment:
    """The request as WSGI says it. Source: https://peps.python.org/pep-3333/.

    Why names with an underscore are left out: ``X_Forwarded_For`` would become the same as ``X-Forwarded-For``, and
    proxies that set the one pass the other on, from whoever sent it.
    """
    host, port = scope.get("server") or ("", 0)
    environment: Environment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode("utf-8", "surrogateescape").decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": str(host),
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("", 0))[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileWrapper,  # tells files of the disk from what is still to be made
    }
    is_chunked = False
    for raw_name, raw_value in scope["headers"]:
        if b"_" in raw_name:
            continue
        name, value = raw_name.decode("latin-1").upper().replace("-", "_"), raw_value.decode("latin-1")
        is_chunked = is_chunked or name == "TRANSFER_ENCODING"
        key = name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
        separator = "; " if name == "COOKIE" else ","
        environment[key] = f"{environment[key]}{separator}{value}" if key in environment else value
    if is_chunked:
        environment["CONTENT_LENGTH"] = str(len(body))
    environment["wsgi.input"] = BytesIO(body)
    return environment


def _looked(look: Look) -> Answer | None:
    close_old_connections()
    found = look()
    return None if found is None else _plain(found)


def _plain(response: HttpResponse) -> Answer:
    return Answer(status=response.status_code, headers=list(response.items()), content=response.content)


def _instead(answer: Answer, found: Answer) -> Answer:
    """What was found later, under the name by which people ask about it; with all other headers of one like it."""
    is_alike = found.status == answer.status
    there = {name for name, _ in found.headers} | {"Content-Length"}
    kept = [one for one in answer.headers if one[0] == "Request-Id" or (is_alike and one[0] not in there)]
    return replace(found, headers=[*found.headers, *kept])


def _refused(refusal: ServiceError) -> Answer:
    """An answer of our own, under a name of its own."""
    with named() as name:
        answer = _plain(json_error(refusal))
    return replace(answer, headers=[*answer.headers, ("Request-Id", name)])


async def _send(answer: Answer, send: Send) -> None:
    """Raises: TimeoutError when the reader stops."""
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if isinstance(answer.content, bytes):
        await send({"type": "http.response.body", "body": answer.content, "more_body": False})
        return
    with answer.content as file:
        while piece := file.read(PIECE_BYTES):
            async with asyncio.timeout(PROGRESS_SECONDS):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
