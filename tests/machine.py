"""What the suite asks of the machine that it runs on: patience, ports, the time that passed. Nothing else here asks it.

Why one module: a verdict that depends on how busy a machine is turns red by chance. Waiting is for an event, and only
a test that hangs ever sees the end of the patience. An architecture test holds everything else to it.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeVar

PATIENCE_SECONDS = 120
"""The one limit of every wait of the suite. Why so long: it tells what hangs from what is slow, and nothing else."""
POLL_SECONDS = 0.02
FIRST_PORT, PORTS_A_WORKER = 20_000, 200
"""Below those that systems hand out by themselves (32768 and up), so that nobody is given one of ours meanwhile."""
_HOST = "127.0.0.1"
_ports: Iterator[int] = count()
_ports_lock = threading.Lock()
Found = TypeVar("Found")


def wait_until(look: Callable[[], Found], what: str, *, poll: float = POLL_SECONDS) -> Found:
    """What ``look`` gives once that is true. Raises: AssertionError that names ``what`` when the patience is over."""
    ends_at = time.monotonic() + PATIENCE_SECONDS
    while not (found := look()):
        assert time.monotonic() < ends_at, f"waited {PATIENCE_SECONDS} s for {what}"
        time.sleep(poll)
    return found


def own_port() -> int:
    """A port of this worker's own range that nobody listens on, and that is given out once."""
    first = FIRST_PORT + PORTS_A_WORKER * _worker()
    for _ in range(PORTS_A_WORKER):
        with _ports_lock:
            port = first + next(_ports) % PORTS_A_WORKER
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((_HOST, port))
            except OSError:
                continue
            return port
    raise AssertionError(f"all ports from {first} on are taken")


def pause(seconds: float) -> None:
    """Rest so long. For what takes its time by itself, never so that something has surely happened."""
    time.sleep(seconds)


def stopwatch() -> Callable[[], float]:
    """Seconds since now, to be told or printed, never judged: a machine may be as slow as it likes."""
    began = time.perf_counter()
    return lambda: time.perf_counter() - began


def _worker() -> int:
    """This worker's number: 0 where there is one process, else from 1 on."""
    name = os.environ.get("PYTEST_XDIST_WORKER", "")
    return int(name.removeprefix("gw")) + 1 if name.startswith("gw") else 0
