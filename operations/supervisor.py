"""Keeps a program alive: forks it, starts it again when it dies, ends it and itself together.

Must not know what the program does, and must import little: it stays for as long as the program, in memory of its own.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_ENDS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_WATCHED = _ENDS | {signal.SIGCHLD}
_STOP_SECONDS = 8.0
_STEADY_SECONDS = 10.0
_LONGEST_PAUSE_SECONDS = 8.0
_IDLE_SECONDS = 60.0

_words_to_supervisor: int | None = None
"""In the program: where it says that it works."""


def supervise(name: str) -> None:
    """Fork. Returns in the child, which goes on as the program; the parent looks after it and never returns.

    ``name``: the program's for people. Until it has once said ``works``, it is not started again when it ends by
    itself: what hindered it, and it has said that, would hinder it again.
    """
    heard, says = os.pipe()
    os.set_blocking(heard, False)
    mask = {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)}
    # Why: a shell that starts a program in the background has it ignore Ctrl-C.
    # SIGHUP stays ignored where it is: that is what ``nohup`` asks for.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    watch, parent = _Watch(name, heard), os.getpid()
    while True:
        pid = _fork()
        if not pid:
            os.close(heard)
            _begin(parent, says, mask)
            return
        watch.over(pid)


def works() -> None:
    """Say that this program works. Nothing where nobody supervises it."""
    if _words_to_supervisor is not None:
        os.write(_words_to_supervisor, b".")


def end_with_parent() -> None:
    """Have the kernel end this process when its parent dies, even by ``kill -9``.

    Why without a farewell: everything that matters is in the database before it is acted on.
    """
    import ctypes  # noqa: PLC0415  Why: a megabyte that the supervisor itself never needs.

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def run_in_child(work: Callable[[], object]) -> bool:
    """Do something in a short-lived process; whether it succeeded. Why: the memory that it needs is given back."""
    pid = _fork()
    if not pid:
        _live(work)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


class _Watch:
    """Looks after one life of the program after the other."""

    def __init__(self, name: str, heard: int) -> None:
        self._name, self._heard = name, heard
        self._worked, self._failures = False, 0

    def over(self, pid: int) -> None:
        """Wait until this life is over and the next one may begin; ends this process when it should."""
        began = time.monotonic()
        status = _ended(pid)
        if status is None:
            _stop(pid)
        _kill_group(pid)  # what it left behind
        self._worked = self._worked or self._has_worked()
        code = os.waitstatus_to_exitcode(status)
        if code >= 0 and not self._worked:
            os._exit(code)
        self._failures = 0 if time.monotonic() - began > _STEADY_SECONDS else self._failures + 1
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        sys.stderr.write(f"{self._name} {how}; starting it again.\n")
        sys.stderr.flush()
        received = signal.sigtimedwait(_ENDS, min(_LONGEST_PAUSE_SECONDS, 0.1 * 2**self._failures))
        if received is not None:
            os._exit(0)

    def _has_worked(self) -> bool:
        try:
            return bool(os.read(self._heard, 1))
        except BlockingIOError:
            return False


def _ended(pid: int) -> int | None:
    """Wait for the program's end; None when this process is to end instead."""
    while True:
        received = signal.sigtimedwait(_WATCHED, _IDLE_SECONDS)
        if received is not None and received.si_signo != signal.SIGCHLD:
            return None
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status


def _stop(pid: int) -> NoReturn:
    """Ask the program to end, then insist; a second signal insists at once."""
    _send(pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_SECONDS
    is_gone = False
    while not is_gone and (left := deadline - time.monotonic()) > 0:
        received = signal.sigtimedwait(_WATCHED, min(left, 0.1))
        if received is not None and received.si_signo != signal.SIGCHLD:
            break
        is_gone = os.waitpid(pid, os.WNOHANG)[0] != 0
    _kill_group(pid)
    if not is_gone:
        os.waitpid(pid, 0)
    os._exit(0)


def _fork() -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    return os.fork()


def _begin(parent: int, says: int, mask: set[int]) -> None:
    """The child's beginning: in a group of its own, so that what it starts can be ended with it."""
    global _words_to_supervisor  # noqa: PLW0603 - a process has one
    os.setsid()
    end_with_parent()
    for number in _ENDS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if os.getppid() != parent:
        os._exit(1)
    _words_to_supervisor = says


def _live(work: Callable[[], object]) -> NoReturn:
    """The whole life of a short-lived child."""
    code = 1
    try:
        end_with_parent()
        work()
        code = 0
    except SystemExit as stop:
        code = _exit_code(stop)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _exit_code(stop: SystemExit) -> int:
    if isinstance(stop.code, str):
        sys.stderr.write(f"{stop.code}\n")
        return 1
    return stop.code or 0


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
