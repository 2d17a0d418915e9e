"""A small HTTP server on a port of this machine, in a thread of this process, stopped at the end."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True, kw_only=True)
class HttpQuestion:
    """One question that came in; names of headers in lower case."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True)
class HttpReply:
    """What goes out."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Respond = Callable[[HttpQuestion], HttpReply | None]
"""None hangs up without a word."""


@contextmanager
def listening(respond: Respond, port: int = 0) -> Iterator[str]:
    """Its address, on a free port unless one is given."""
    server = _Server(("127.0.0.1", port), _handler(respond))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that timed out is gone."""


def _handler(respond: Respond) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet, else each answer waits 40 ms for an acknowledgement

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            question = HttpQuestion(
                path=address.path,
                query=dict(parse_qsl(address.query, keep_blank_values=True)),
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(int(self.headers.get("Content-Length", 0))),
            )
            reply = respond(question)
            if reply is None:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_POST = do_GET

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  Why: the framework's signature.
            """Say nothing."""

    return Handler
