"""A server with one thread before a site that keeps what it was asked, and one request as it is handed over."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from threading import Event
from typing import Any
from wsgiref.util import FileWrapper

from django.http import HttpResponse

from config.whole_requests import Environment, WholeRequests
from core.errors import NotFound
from core.later import look_later
from tests.machine import PATIENCE_SECONDS

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass
class Call:
    """One request as a server hands it over, and what was answered."""

    method: str = "GET"
    path: str = "/"
    headers: Headers = ()
    comes: list[dict[str, Any]] = field(default_factory=list)
    """What is received in turn; after the last of it nothing ever comes."""
    reads: int = 1_000
    """How many messages the caller takes before it stops reading."""
    sent: list[dict[str, Any]] = field(default_factory=list)

    async def receive(self) -> dict[str, Any]:
        """The next message."""
        if not self.comes:
            await asyncio.Event().wait()
        return self.comes.pop(0)

    async def send(self, message: Any) -> None:
        """Take a message."""
        if len(self.sent) >= self.reads:
            await asyncio.Event().wait()
        self.sent.append(dict(message))

    async def ask(self, server: WholeRequests) -> "Call":
        """Have it answered."""
        scope = {
            "type": "http", "http_version": "1.1", "method": self.method, "path": self.path, "query_string": b"a=1",
            "headers": self.headers, "client": ("198.51.100.7", 5), "server": ("127.0.0.1", 8000),
        }  # fmt: skip
        await server(scope, self.receive, self.send)
        return self

    @property
    def status(self) -> int:
        """What was answered; 0 for nothing."""
        return int(self.sent[0]["status"]) if self.sent else 0

    @property
    def body(self) -> bytes:
        """All of it."""
        return b"".join(message.get("body", b"") for message in self.sent)


class Site:
    """A WSGI application that keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Environment] = []
        self.gate = Event()

    def __call__(self, environment: Environment, start_response: Any) -> Any:
        """Answer by the path."""
        self.asked.append(environment | {"read": environment["wsgi.input"].read()})
        answer: Any = HttpResponse(b"here")
        if environment["PATH_INFO"] == "/export":
            answer = Stream(self.gate)
        elif environment["PATH_INFO"] == "/file":
            answer = FileWrapper(BytesIO(b"x" * 3_000_000))
        elif environment["PATH_INFO"].startswith("/later"):
            looks = LOOKS[environment["PATH_INFO"]]
            look_later(environment, lambda: next(looks), **WAIT)
            answer = HttpResponse(b"not yet", status=503)
        start_response(f"{getattr(answer, 'status_code', 200)} Said", [("Request-Id", "req_1"), ("Vary", "Origin")])
        return answer


class Stream:
    """An answer that is made while it is read."""

    streaming = True

    def __init__(self, gate: Event) -> None:
        self.gate, self.is_closed = gate, False

    def __iter__(self) -> Iterator[bytes]:
        yield b"first "
        assert self.gate.wait(PATIENCE_SECONDS)
        yield b"last"

    def close(self) -> None:
        """Nobody wants more."""
        self.is_closed = True


def refused() -> HttpResponse:
    """What a look raises."""
    raise NotFound("path")


def _never() -> Iterator[None]:
    while True:
        yield None


LOOKS: dict[str, Iterator[HttpResponse | None]] = {}
WAIT: dict[str, Any] = {"seconds": 0.02, "every": 0.001}
"""Nothing here waits for a long time; a verdict never depends on how long."""


def run(story: Callable[[WholeRequests, Site], Awaitable[None]]) -> None:
    """Tell a story at a server with one thread."""
    site = Site()

    async def told() -> None:
        await asyncio.wait_for(story(WholeRequests(site, threads=1), site), PATIENCE_SECONDS)

    asyncio.run(told())
