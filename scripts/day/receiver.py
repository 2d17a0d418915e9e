"""A merchant's receiver that verifies each signature and books each event once.

Usage: SECRET=whsec_… python -m scripts.day.receiver JOURNAL    Until it is killed. Standard library only.
"""

import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from scripts.cluster import hosts
from scripts.cluster.journal import AGAIN, FORGED, TOLD, Journal

TOLERANCE_SECONDS = 300
"""Source: docs/guides/webhooks.md."""


def is_genuine(header: str, raw: bytes, secret: str) -> bool:
    """Whether the owner of the secret signed this just now."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    at = "".join(value for name, _, value in parts if name == "t")
    if not re.fullmatch("[0-9]{1,12}", at):
        return False
    signed = hmac.new(secret.encode(), f"{at}.".encode() + raw, hashlib.sha256).hexdigest().encode()
    given = [value.encode(errors="replace") for name, _, value in parts if name == "v1"]
    return (
        any(hmac.compare_digest(signed, value) for value in given) and abs(time.time() - int(at)) <= TOLERANCE_SECONDS
    )


class Book:
    """What was told, once each, as the merchant's own books have it."""

    def __init__(self, journal: Journal, secret: str) -> None:
        self.journal, self._secret = journal, secret
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def take(self, header: str, raw: bytes) -> HTTPStatus:
        """Judge a post, and book what is new in it."""
        if not is_genuine(header, raw, self._secret):
            self.journal.add(FORGED)
            return HTTPStatus.UNAUTHORIZED
        event = json.loads(raw)
        with self._lock:
            is_known = event["id"] in self._known
            self._known.add(event["id"])
        if is_known:
            self.journal.add(AGAIN, id=event["id"])
        else:
            self.enter(event)
        return HTTPStatus.OK

    def enter(self, event: dict[str, Any]) -> None:
        """Write an event down."""
        self.journal.add(TOLD, id=event["id"], type=event["type"], about=event["resource"]["id"])


def serve(book: Book) -> None:
    """Listen for webhooks until this program is killed."""

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(book.take(self.headers.get("Svc-Signature", ""), raw))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the library's name
            return

    ThreadingHTTPServer((hosts.RECEIVER, hosts.RECEIVER_PORT), Receiver).serve_forever()


if __name__ == "__main__":
    serve(Book(Journal(Path(sys.argv[1])), os.environ["SECRET"]))
