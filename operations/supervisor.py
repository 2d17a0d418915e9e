"""Keeps child processes alive: forks them, restarts one that dies, ends all of them together.

Must not know what the children do.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_WATCHED = frozenset({signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_STOP_SECONDS = 8.0
_STEADY_SECONDS = 10.0
_LONGEST_PAUSE_SECONDS = 8.0


@dataclass(frozen=True, kw_only=True)
class Program:
    """A child process: its name for people, and the function that is its whole life."""

    name: str
    run: Callable[[], None]


@dataclass(kw_only=True)
class _Child:
    program: Program
    pid: int = 0
    started_at: float = 0.0
    start_again_at: float = 0.0
    failures: int = 0


class Supervisor:
    """Starts programs in their order and looks after them until it is told to stop."""

    def __init__(self, programs: Sequence[Program], say: Callable[[str], None]) -> None:
        self._children = [_Child(program=program) for program in programs]
        self._say = say
        self._mask: set[int] = set()

    def run(self, every_moment: Callable[[], bool]) -> None:
        """Look after the children until SIGINT, SIGTERM or SIGHUP.

        ``every_moment`` is called about ten times a second until it returns True: for what waits on the children.
        """
        self._mask = {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)}
        # Why: a shell that starts a program in the background has it ignore Ctrl-C.
        # SIGHUP stays ignored where it is: that is what ``nohup`` asks for.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        try:
            self._watch(every_moment)
        finally:
            self._stop()
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def _watch(self, every_moment: Callable[[], bool]) -> None:
        waiting = True
        while True:
            self._start_due()
            received = signal.sigtimedwait(_WATCHED, 0.1 if waiting else self._pause())
            if received is not None and received.si_signo != signal.SIGCHLD:
                return
            self._bury()
            waiting = waiting and not every_moment()

    def _start_due(self) -> None:
        moment = time.monotonic()
        for child in self._children:
            if not child.pid and child.start_again_at <= moment:
                child.pid = _fork(child.program.run, self._mask)
                child.started_at = moment

    def _pause(self) -> float:
        return 0.2 if any(not child.pid for child in self._children) else 60.0

    def _bury(self) -> None:
        """Notice which children ended, and end what they left behind."""
        for child in self._children:
            if not child.pid:
                continue
            pid, status = os.waitpid(child.pid, os.WNOHANG)
            if not pid:
                continue
            _kill_group(child.pid)
            moment = time.monotonic()
            child.failures = 0 if moment - child.started_at > _STEADY_SECONDS else child.failures + 1
            pause = min(_LONGEST_PAUSE_SECONDS, 0.1 * 2**child.failures)
            child.pid, child.start_again_at = 0, moment + pause
            self._say(f"{child.program.name} {_ending(status)}; starting it again.")

    def _stop(self) -> None:
        """Ask every child to end, then insist; a second signal insists at once."""
        alive = [child for child in self._children if child.pid]
        for child in alive:
            _send(child.pid, signal.SIGTERM)
        deadline = time.monotonic() + _STOP_SECONDS
        while alive and (left := deadline - time.monotonic()) > 0:
            alive = [child for child in alive if os.waitpid(child.pid, os.WNOHANG)[0] == 0]
            received = signal.sigtimedwait(_WATCHED, min(left, 0.1)) if alive else None
            if received is not None and received.si_signo != signal.SIGCHLD:
                break
        for child in self._children:
            if child.pid:
                _kill_group(child.pid)
        for child in alive:
            os.waitpid(child.pid, 0)


def end_with_parent() -> None:
    """Have the kernel end this process when its parent dies, even by ``kill -9``.

    Why without a farewell: everything that matters is in the database before it is acted on.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def run_in_child(work: Callable[[], None]) -> Callable[[], bool]:
    """Start work in a short-lived process; the result waits for its end and tells whether it succeeded.

    Why: the memory it needs is given back, and this process can prepare something else meanwhile.
    """
    pid = _fork(work, {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())})
    return lambda: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _fork(run: Callable[[], None], mask: set[int]) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    pid = os.fork()
    if not pid:
        _live(run, parent, mask)
    return pid


def _live(run: Callable[[], None], parent: int, mask: set[int]) -> NoReturn:
    """The child's whole life: in a group of its own, so that its own children can be ended with it."""
    code = 1
    try:
        os.setsid()
        end_with_parent()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if os.getppid() == parent:
            run()
        code = 0
    except SystemExit as stop:
        code = _exit_code(stop)
    except KeyboardInterrupt:
        code = 130
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


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
