"""Starts a service as a child process on a free port, and stops it for certain.

Must not know which service it is. Standard library only.
"""

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

HOST = "127.0.0.1"
START_ATTEMPTS = 3
READY_SECONDS = 30.0
STOP_SECONDS = 10.0
POLL_SECONDS = 0.05
SET_PARENT_DEATH_SIGNAL = 1


class ServiceError(Exception):
    """A service could not be started; the text says what to do."""


def free_port() -> int:
    """Return a port that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def unprivileged_user(preferred: str) -> str | None:
    """Return whom to run a service as: nobody else, unless we are root (which PostgreSQL refuses)."""
    if os.geteuid() != 0:
        return None
    for name in (preferred, "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise ServiceError(f"There is no user {preferred} to run the service as.")


def private_folder(parent: Path, name: str, user: str | None) -> Path:
    """Make a folder that only the service's user may read."""
    folder = parent / name
    folder.mkdir(mode=0o700)
    if user:
        shutil.chown(folder, user)
    return folder


def die_with_parent() -> None:
    """Ask the kernel to end this child when its parent dies, even by kill -9."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGINT)


@contextmanager
def child(command: Sequence[str], log: Path, user: str | None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a service in a session of its own, so that Ctrl-C reaches the command and not the service."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            user=user,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509  Why: no thread runs yet.
        )
    try:
        yield process
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a service: first politely, then for certain."""
    for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if process.poll() is not None:
            return
        process.send_signal(how)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            continue


def wait_until_ready(process: subprocess.Popen[bytes], is_ready: Callable[[], bool]) -> bool:
    """Tell whether the service answered before it ended or the time was up."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if is_ready():
            return True
        time.sleep(POLL_SECONDS)
    return False


@contextmanager
def running(
    command_for: Callable[[int], Sequence[str]],
    is_ready: Callable[[int], bool],
    *,
    log: Path,
    user: str | None,
) -> Iterator[int]:
    """Start a service on a free port and yield the port.

    Why: another program may take the port between the look and the start; then the next one is tried.
    """
    for _ in range(START_ATTEMPTS):
        port = free_port()
        with child(command_for(port), log, user) as process:
            if wait_until_ready(process, lambda port=port: is_ready(port)):  # type: ignore[misc]  # mypy cannot infer lambda defaults
                yield port
                return
    raise ServiceError(f"{command_for(0)[0]} did not start:\n{log.read_text(errors='replace')[-2000:]}")
