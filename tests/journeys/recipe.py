"""A webhook receiver written from the specification alone: it shares nothing with the service.

Standard library only, so that a merchant can copy it. Run it to look at deliveries:
``python recipe.py 9000 whsec_...``
"""

import hashlib
import hmac
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOLERANCE_SECONDS = 300
"""Source: specification, Events (signature header, rule 5)."""
ACCEPTED, REFUSED = 200, 401


def is_genuine(header: str, raw_body: bytes, secrets: list[str], now: float) -> bool:
    """Whether ``Svc-Signature`` proves that the body came from the owner of a secret just now.

    ``secrets`` are all that may have signed: during a rotation the old one and the new one.
    """
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    signatures = [value for name, _, value in parts if name == "v1"]
    if len(times) != 1 or not (times[0].isascii() and times[0].isdigit()) or not all(secrets):
        return False
    signed = times[0].encode() + b"." + raw_body
    expected = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    given = [signature.encode(errors="replace") for signature in signatures]
    matches = [hmac.compare_digest(one.encode(), other) for one in expected for other in given]
    return any(matches) and abs(now - int(times[0])) <= TOLERANCE_SECONDS


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """One POST as it came over the wire, and what was made of it. Header names are in lower case."""

    headers: dict[str, str]
    raw_body: bytes
    genuine: bool
    answered: int

    @property
    def event(self) -> dict[str, Any]:
        """The event in it."""
        event: dict[str, Any] = json.loads(self.raw_body)
        return event


Answer = Callable[[Delivery], int]
"""Chooses another status than the usual one, to play a receiver that is ill."""


@dataclass
class Receiver:
    """A running receiver: give it the secrets it should know, read what it got."""

    port: int = 0
    secrets: list[str] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    answer: Answer = lambda delivery: delivery.answered
    _news: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/webhooks"

    def take(self, headers: dict[str, str], raw_body: bytes) -> int:
        """Judge one request and remember it; the status to answer with."""
        genuine = is_genuine(headers.get("svc-signature", ""), raw_body, self.secrets, time.time())
        usual = ACCEPTED if genuine else REFUSED
        status = self.answer(Delivery(headers=headers, raw_body=raw_body, genuine=genuine, answered=usual))
        with self._news:
            self.deliveries.append(Delivery(headers=headers, raw_body=raw_body, genuine=genuine, answered=status))
            self._news.notify_all()
        return status

    def accepted(self) -> list[dict[str, Any]]:
        """Every event that was accepted, once per delivery, in the order of arrival."""
        return [delivery.event for delivery in list(self.deliveries) if delivery.answered == ACCEPTED]

    def sequences(self, resource_id: str) -> list[int]:
        """The distinct sequence numbers of the accepted events about one resource, in their order."""
        return sorted({event["sequence"] for event in self.accepted() if event["resource"]["id"] == resource_id})

    def wait_for(self, seen: Callable[["Receiver"], bool], seconds: float) -> None:
        """Wait until something is true of what came. Raises: TimeoutError with what came."""
        with self._news:
            if not self._news.wait_for(lambda: seen(self), seconds):
                came = [(event["type"], event["sequence"]) for event in self.accepted()]
                raise TimeoutError(f"{len(self.deliveries)} deliveries came, accepted: {came[-20:]}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    receiver: Receiver

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Quiet: a sender that is killed in the middle of a request is what some tests are about."""


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        """Take one delivery."""
        raw_body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status = self.server.receiver.take({name.lower(): value for name, value in self.headers.items()}, raw_body)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Quiet."""


def listening(receiver: Receiver, port: int = 0) -> _Server:
    """What serves a receiver on this machine by ``serve_forever``; port 0 takes a free one."""
    server = _Server(("127.0.0.1", port), _Request)
    server.receiver, receiver.port = receiver, server.server_port
    return server


@contextmanager
def receiving(*secrets: str, port: int = 0) -> Iterator[Receiver]:
    """A receiver on this machine that runs while the block does."""
    server = listening(Receiver(secrets=list(secrets)), port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _show(delivery: Delivery) -> int:
    verdict = "genuine" if delivery.genuine else "NOT GENUINE"
    print(f"{verdict}: {delivery.raw_body.decode()}", flush=True)
    return delivery.answered


if __name__ == "__main__":
    with receiving(*sys.argv[2:], port=int(sys.argv[1])) as printing:
        printing.answer = _show
        print(f"Listening on {printing.url}. Ctrl-C stops it.", flush=True)
        threading.Event().wait()
