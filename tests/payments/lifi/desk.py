"""A server that answers as it is told, in place of LI.FI's: for what its real shapes and faults do to the adapter."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.machine import pause


@dataclass
class Desk:
    """What is answered next, and what was asked. ``body`` as JSON, or as it stands where it is bytes."""

    url: str
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0
    following: list[tuple[int, Any]] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    names: list[dict[str, str]] = field(default_factory=list)

    def answer(self, status: int, body: Any) -> None:
        """Say this from now on."""
        self.status, self.body = status, body


@contextmanager
def serving() -> Iterator[Desk]:
    """A desk that is open until the end."""
    desk = Desk(url="")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            desk.paths.append(asked.path)
            desk.asked.append(dict(parse_qsl(asked.query)))
            desk.names.append({name.lower(): value for name, value in self.headers.items()})
            status, body = desk.following.pop(0) if desk.following else (desk.status, desk.body)
            pause(desk.delay_seconds)
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **desk.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A caller that timed out is gone."""

    server = Server(("127.0.0.1", 0), Handler)
    desk.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield desk
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
