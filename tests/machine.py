"""What the suite asks of the machine that it runs on: patience, ports, the time that passed. Nothing else here asks it.

Why one module: a verdict that depends on how busy a machine is turns red by chance. Waiting is for an event, and only
a test that hangs ever sees the end of the patience. An architecture test holds everything else to it.
"""

import asyncio
import fcntl
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import TypeVar

PATIENCE_SECONDS = 120
"""The one limit of every wait of the suite. Why so long: it tells what hangs from what is slow, and nothing else."""
POLL_SECONDS = 0.02
FIRST_PORT, PORTS_A_PROCESS, RANGES = 20_000, 200, 60
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
    """A port of this process's own range that nobody listens on, and that is given out once."""
    first = FIRST_PORT + PORTS_A_PROCESS * own_number()
    for _ in range(PORTS_A_PROCESS):
        with _ports_lock:
            port = first + next(_ports) % PORTS_A_PROCESS
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


async def let_others_run(seconds: float = 0) -> None:
    """Rest so long in an event loop; by itself a moment, in which all that can go on does."""
    await asyncio.sleep(seconds)


class SkippedWaits:
    """Stands for the module ``time`` where a program rests: that passes at once, and everything is so much later."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self._skipped

    def sleep(self, seconds: float) -> None:
        self._skipped += seconds


def stopwatch() -> Callable[[], float]:
    """Seconds since now, to be told or printed, never judged: a machine may be as slow as it likes."""
    began = time.perf_counter()
    return lambda: time.perf_counter() - began


@cache
def own_number() -> int:
    """A number that no other test process of this machine has meanwhile, whichever run it belongs to.

    Why a lock on a file: it ends with the process, however that ends.
    """
    for number in range(RANGES):
        path = Path(tempfile.gettempdir(), f"causeway-tests-{os.getuid()}-{number}.lock")
        file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
        else:
            return number
    raise AssertionError(f"{RANGES} test processes run already")
