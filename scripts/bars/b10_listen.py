"""B10: ``causeway listen`` is killed, put to sleep, its service restarted, and no event is lost or counted twice."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from scripts.bars.clocked import shortest
from scripts.bars.figures import Figure, at_most, exactly
from scripts.bars.served import Service, command, service
from sdks.generator.python import PACKAGE

ROUNDS = 100
SLEEPS, RESTARTS = frozenset({3, 6}), frozenset({9})
"""Of each ten rounds; the rest are kills."""
LONG_SLEEP = 35.0
"""Seconds, once: longer than the service holds a question and than it gives a delivery out for."""
LONGEST_FIRST = 1.0
FIRSTS, MOST_FIRSTS = 5, 30
PATIENCE = 180.0
"""Seconds in which the last ones must have come: what was given out to the dead comes again after 30."""


@dataclass
class Outcome:
    """What became of it."""

    lost: int = 0
    double: int = 0
    first_seconds: float = 0.0
    secrets: int = 0
    came: int = 0


@dataclass
class Shop:
    """An idempotent receiver: verifies, and lets in once what has the same ``webhook-id``."""

    secret: str
    known: set[str] = field(default_factory=set)
    effects: Counter[str] = field(default_factory=Counter)
    came: int = 0
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, raw: bytes, headers: dict[str, str]) -> int:
        """The status it answers."""
        from causeway_sdk import webhooks  # noqa: PLC0415 - on the path since measure()

        try:
            event = webhooks.unwrap(raw, headers, self.secret)
        except webhooks.WebhookVerificationError:
            self.refused += 1
            return 401
        with self.lock:
            self.came += 1
            if headers["webhook-id"] not in self.known:
                self.known.add(headers["webhook-id"])
                self.effects[event.id] += 1
        return 200


def measure() -> list[Figure]:
    """A hundred interruptions."""
    found = interrupted(ROUNDS)
    sleeps, restarts = (len(one) * ROUNDS // 10 for one in (SLEEPS, RESTARTS))
    kinds = f"{ROUNDS - sleeps - restarts} kills, {sleeps} sleeps, {restarts} restarts of the service"
    return [
        exactly("B10", f"events lost by listen over {kinds}", found.lost, 0, ""),
        exactly("B10", f"events that took effect twice (of {found.came} deliveries)", found.double, 0, ""),
        at_most(
            "B10",
            "from an event to the receiver, the quickest of several",
            round(found.first_seconds, 2),
            LONGEST_FIRST,
            "s",
        ),
        exactly("B10", "signing secrets over all of it", found.secrets, 1, ""),
    ]


def interrupted(rounds: int) -> Outcome:
    """Interrupt it so often, with an event before each."""
    sys.path.insert(0, str(PACKAGE.parent))
    outcome, chance = Outcome(), random.Random(10)  # noqa: S311 - moments, no secrets
    with service() as running:
        environment = running.terminal()
        secrets = {command(environment, "listen", "--print-secret").stdout.strip()}
        shop = Shop(secrets.copy().pop())
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(shop))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        listener = Listener(running, f"http://127.0.0.1:{server.server_address[1]}/hook")
        try:
            once = partial(_seconds_to, shop, listener)
            outcome.first_seconds = shortest(once, LONGEST_FIRST, rounds=FIRSTS, most=MOST_FIRSTS)
            made = [_interrupt(listener, number, rounds, chance) for number in range(rounds)]
            _wait_for(shop, set(made), listener)
            secrets.add(command(environment, "listen", "--print-secret").stdout.strip())
        finally:
            listener.end()
            server.shutdown()
            server.server_close()
    outcome.lost = len(set(made) - set(shop.effects))
    outcome.double = sum(times > 1 for times in shop.effects.values())
    outcome.secrets, outcome.came = len(secrets), shop.came
    return outcome


@dataclass
class Listener:
    """The command as a process that is started again whenever it has ended."""

    running: Service
    url: str
    process: "subprocess.Popen[bytes] | None" = None

    def ensure(self) -> "subprocess.Popen[bytes]":
        """One that runs."""
        if self.process is None or self.process.poll() is not None:
            line = [sys.executable, "-m", "causeway_sdk.cli", "listen", "--forward-to", self.url]
            self.process = subprocess.Popen(
                line, env=self.running.terminal(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        return self.process

    def end(self) -> None:
        """End it as a machine does that loses its power."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE)


def _interrupt(listener: Listener, number: int, rounds: int, chance: random.Random) -> str:
    """Let one event happen, and interrupt at some moment after it; its id."""
    process = listener.ensure()
    event = _event(listener.running)
    time.sleep(chance.uniform(0, 0.5))
    kind = number % 10
    if kind in RESTARTS:
        listener.running.kill()
        listener.running.start()
    elif kind in SLEEPS:
        process.send_signal(signal.SIGSTOP)
        time.sleep(LONG_SLEEP if number == rounds // 2 + 3 else chance.uniform(0, 1))
        process.send_signal(signal.SIGCONT)
    else:
        listener.end()
    return event


def _event(running: Service) -> str:
    from causeway_sdk import Causeway  # noqa: PLC0415 - on the path since interrupted()

    environment = running.terminal()
    with Causeway(environment["CAUSEWAY_API_KEY"], running.base_url) as client:
        return client.test_helpers.trigger_event(type="ping").id


def _seconds_to(shop: Shop, listener: Listener) -> float:
    """From the answer that an event happened to its effect. The listener runs already, but for the first one."""
    listener.ensure()
    event = _event(listener.running)
    begun = time.monotonic()
    while event not in shop.effects and time.monotonic() < begun + PATIENCE:
        time.sleep(0.005)
    return time.monotonic() - begun


def _wait_for(shop: Shop, wanted: set[str], listener: Listener) -> None:
    ends = time.monotonic() + PATIENCE
    while wanted - set(shop.effects) and time.monotonic() < ends:
        listener.ensure()
        time.sleep(0.2)


def _handler(shop: Shop) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(shop.take(raw, dict(self.headers.items())))
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    return Handler
