"""Callers without pause: they create intents, pay and refund them, and write down each answer and each event.

Usage: python -m scripts.cluster.load JOURNAL KEY RATE    Until it is told to end. A program of its own, as a merchant's
server is. Standard library only. What got no success is sent again under the same key, until it has one.
"""

import http.client
import json
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NoReturn

from scripts.cluster import hosts
from scripts.cluster.journal import CREATED, PAID, QUIET, REFUNDED, REFUSED, TOLD, Journal

API = "/api/public/v1"
CALLERS = 8
PATIENCE_SECONDS = 45
KEPT_SECONDS = 5.0
"""How long a connection that rests is used again, less than HAProxy keeps it: else a request may meet its end."""
PAUSE_SECONDS = 0.25
"""Before a request is sent again."""
EACH_PAID, EACH_REFUNDED = 10, 5
"""One in so many intents is paid, and one in so many of those that settled is refunded."""
UNDER_WAY = "idempotency_key_in_progress"
"""What was sent before, whose connection was lost, is not at its end yet: its answer comes under the same key."""
DESTINATION = "0x52908400098527886E0F7030069857D2E4169EE7"


class Wrong(Exception):
    """A request that no service would answer otherwise, however often it is sent."""


class Caller:
    """One connection to the service, as a merchant's server keeps one."""

    pause_seconds = PAUSE_SECONDS

    def __init__(self, key: str, journal: Journal) -> None:
        self._key, self._journal = key, journal
        self._connection: http.client.HTTPConnection | None = None
        self._asked_at = 0.0

    def insist(self, path: str, body: object, idempotency_key: str, **headers: str) -> Any:
        """POST until somebody answers with a success; a conflict after a first try is one. Raises: Wrong.

        Why: paying twice is refused, and so says that the first time was heard.
        """
        tries = 0
        while True:
            status, answer = self._ask("POST", path, body, {"Idempotency-Key": idempotency_key, **headers})
            if status < HTTPStatus.BAD_REQUEST and status:
                return answer
            is_under_way = isinstance(answer, dict) and answer.get("code") == UNDER_WAY
            if status == HTTPStatus.CONFLICT and tries and not is_under_way:
                return answer
            tries += 1
            self._journal.add(REFUSED, status=status, path=path, said=str(answer)[:500])
            if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR and not is_under_way:
                raise Wrong(answer)
            time.sleep(self.pause_seconds)

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        """Status and body of an answer; 0 where there is none."""
        return self._ask("GET", path, None, headers)

    def remove(self, path: str) -> None:
        """DELETE, once. Raises: Wrong where that is not done."""
        status, answer = self._ask("DELETE", path, None, {})
        if status >= HTTPStatus.BAD_REQUEST or not status:
            raise Wrong(answer)

    def _ask(self, method: str, path: str, body: object, more: dict[str, str]) -> tuple[int, Any]:
        headers = {
            "Host": f"localhost:{hosts.WEB_PORT}",
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            **more,
        }
        if time.monotonic() - self._asked_at > KEPT_SECONDS:
            self._connection = None
        self._asked_at = time.monotonic()
        try:
            connection = self._connection = self._connection or http.client.HTTPConnection(
                hosts.FRONT, hosts.WEB_PORT, timeout=PATIENCE_SECONDS
            )
            connection.request(method, API + path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            raw = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection = None
            return 0, repr(error)
        try:
            return answer.status, json.loads(raw)
        except ValueError:
            return answer.status, raw.decode(errors="replace")


class Load:
    """Everything the callers share."""

    def __init__(self, journal: Journal, key: str, rate: float) -> None:
        self.journal, self._key, self._pause = journal, key, CALLERS / rate
        self._settled: SimpleQueue[str] = SimpleQueue()
        self._ends = threading.Event()
        self._events = 0

    def told(self, event: dict[str, Any]) -> None:
        """Write an event down, and remember some of the settled for a refund."""
        about = event["resource"]["id"]
        self.journal.add(TOLD, id=event["id"], type=event["type"], about=about)
        if event["type"] == "payment_intent.settled":
            self._events += 1
            if self._events % EACH_REFUNDED == 0:
                self._settled.put(about)

    def end(self) -> None:
        """Let each caller finish what it began."""
        self._ends.set()

    def call(self, number: int) -> None:
        """One caller: an intent, its payment, at times a refund, at its share of the rate, and not with the others."""
        caller, count = Caller(self._key, self.journal), 0
        self._ends.wait(self._pause * number / CALLERS)
        while not self._ends.is_set():
            begun, count = time.monotonic(), count + 1
            name = f"{number}-{count}"
            intent_id = caller.insist("/payment-intents", {"amount": 25, "reference": name}, f"create-{name}")["id"]
            self.journal.add(CREATED, id=intent_id)
            if count % EACH_PAID == 0:
                caller.insist(f"/test-helpers/payment-intents/{intent_id}/pay", {}, f"pay-{name}")
                self.journal.add(PAID, id=intent_id)
            self._refund_one(caller)
            self._ends.wait(max(0.0, self._pause - (time.monotonic() - begun)))

    def _refund_one(self, caller: Caller) -> None:
        try:
            intent_id = self._settled.get_nowait()
        except Empty:
            return
        wish = {"intent_id": intent_id, "amount_usd": 25, "destination": DESTINATION}
        refund = caller.insist("/refunds", wish, f"refund-{intent_id}")
        self.journal.add(REFUNDED, id=intent_id, refund=refund["id"])

    def go_on(self, *works: Callable[[], None]) -> NoReturn:
        """Do these in threads until asked to end, finish what was begun, then stay until this program is killed."""
        signal.signal(signal.SIGUSR1, lambda *_: self.end())
        threads = [threading.Thread(target=work) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.journal.add(QUIET)
        while True:
            signal.pause()


def receive(load: Load) -> ThreadingHTTPServer:
    """Listen for webhooks on this machine, in threads of their own."""

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            load.told(event)
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the library's name
            return

    server = ThreadingHTTPServer((hosts.RECEIVER, hosts.RECEIVER_PORT), Receiver)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main() -> NoReturn:
    """Call until asked to end, then finish what was begun; the receiver goes on until this program is killed."""
    path, key, rate = sys.argv[1:]
    load = Load(Journal(Path(path)), key, float(rate))
    receive(load)
    load.go_on(*(partial(load.call, number) for number in range(CALLERS)))


if __name__ == "__main__":
    main()
