"""A receiver of webhooks in a process of its own, which writes down what it accepted: the merchants' own record."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any

from tests.crash.matrix.clock import SharedClock
from tests.journeys.recipe import ACCEPTED, REFUSED, is_genuine


class Book:
    """Which events were accepted, by their ids. Written by the receiver, read by the conductor."""

    def __init__(self, folder: Path) -> None:
        self.secrets, self.lines = folder / "secrets", folder / "accepted"
        self.secrets.touch()
        self.lines.touch()

    def trust(self, secret: str) -> None:
        with self.secrets.open("a") as out:
            out.write(f"{secret}\n")

    def accepted(self) -> set[str]:
        return set(self.lines.read_text().split())


class _Server(ThreadingMixIn, HTTPServer):
    daemon_threads = True
    request_queue_size = 256
    book: Book
    clock: SharedClock

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Quiet: senders die in the middle of requests here."""


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        book, signature = self.server.book, self.headers.get("Svc-Signature", "")
        genuine = is_genuine(signature, body, book.secrets.read_text().split(), self.server.clock.unix())
        if genuine:
            with book.lines.open("a") as out:
                out.write(f"{json.loads(body)['id']}\n")
        self.send_response(ACCEPTED if genuine else REFUSED)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Quiet."""


def open_receiver(book: Book, clock: SharedClock) -> _Server:
    """A receiver that listens already; ``serve_forever`` is a process's work."""
    server = _Server(("127.0.0.1", 0), _Request)
    server.book, server.clock = book, clock
    return server
