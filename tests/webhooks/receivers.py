"""Receivers that a test can script: real HTTP servers on this machine that write down what they get."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.machine import own_port, wait_until


@dataclass(frozen=True, kw_only=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


Script = Callable[["Receiver", BaseHTTPRequestHandler], None]


def answer(status: int, body: bytes = b"", **headers: str) -> Script:
    """A script that always answers so; header names are written with underscores."""

    def play(_: "Receiver", request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return play


@dataclass
class Receiver:
    """A running receiver: change ``script`` at any time, read ``received``.

    ``connections`` were made to it, each with a handshake where it speaks TLS, and ``ended`` of them are over.
    """

    port: int
    script: Script = field(default_factory=lambda: answer(200, b"ok"))
    received: list[Received] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    scheme: str = "http"
    connections: int = 0
    ended: int = 0

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hook"

    def wait_for(self, count: int) -> list[Received]:
        """Wait until so many requests came. Raises: AssertionError when they do not."""
        wait_until(lambda: len(self.received) >= count, f"{count} requests")
        return self.received


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    receiver: Receiver

    def get_request(self) -> Any:
        accepted = super().get_request()
        self.receiver.connections += 1
        return accepted

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.receiver.ended += 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A hostile script may break its own connection."""


class _RequestHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        receiver = self.server.receiver
        receiver.received.append(Received(path=self.path, headers=dict(self.headers.items()), body=body))
        receiver.script(receiver, self)

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@contextmanager
def receiver_on(host: str = "127.0.0.1", certificate: tuple[Path, Path] | None = None) -> Iterator[Receiver]:
    """A receiver that runs while the block does; with a certificate and its key it speaks TLS."""
    server = _Server((host, own_port()), _RequestHandler)
    server.receiver = Receiver(port=server.server_port)
    if certificate is not None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(*certificate)
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        server.receiver.scheme = "https"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.receiver
    finally:
        server.receiver.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
