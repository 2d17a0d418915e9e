"""Processes in milliseconds: forked from one that has loaded everything, each with a connection of its own."""

import os
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from django.db import connections

from scripts.service_process import die_with_parent
from tests.machine import wait_until

Work = Callable[[], None]
PAUSE_SECONDS = 0.005
_inherited: list[Any] = []
"""Connections of the parent, kept from being closed: to close one would end it for the parent as well."""
_ending = False


def is_ending() -> bool:
    return _ending


@dataclass
class Process:
    """One forked process. ``work`` runs until it returns, or for ever if it looks at ``is_ending``."""

    work: Work
    log: Path
    pid: int = 0
    code: int | None = None
    deaths: int = 0

    def start(self) -> None:
        self.code, self.pid = None, os.fork()
        if self.pid == 0:
            _live(self.work, self.log)

    def is_alive(self) -> bool:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                self.deaths += self.code != 0
        return self.code is None

    def signal(self, number: int) -> None:
        if self.is_alive():
            os.kill(self.pid, number)


@dataclass
class Crew:
    """Processes that are started again when they die, as whoever looks after them would."""

    processes: list[Process] = field(default_factory=list)

    def start(self, work: Work, log: Path) -> Process:
        process = Process(work, log)
        process.start()
        self.processes.append(process)
        return process

    def revive(self) -> None:
        for process in self.processes:
            if not process.is_alive() and process.code != 0:
                process.start()

    def kill(self) -> None:
        for process in self.processes:
            process.signal(signal.SIGKILL)
            if process.code is None:
                os.waitpid(process.pid, 0)
        self.processes.clear()

    def end(self) -> bool:
        """Ask all to end, and kill what does not; whether all did by themselves."""
        for process in self.processes:
            process.signal(signal.SIGTERM)
        with suppress(AssertionError):
            wait_until(lambda: not any(one.is_alive() for one in self.processes), "their ends", poll=PAUSE_SECONDS)
        left = [process for process in self.processes if process.is_alive()]
        for process in left:
            process.signal(signal.SIGKILL)
            os.waitpid(process.pid, 0)
        self.processes.clear()
        return not left


def _live(work: Work, log: Path) -> NoReturn:
    """The life of a child: it must not return into what its parent was doing."""
    code = 1
    try:
        die_with_parent()
        signal.signal(signal.SIGTERM, _end)
        _forget_connections()
        work()
        code = 0
    except BaseException:
        with log.open("a") as out:
            traceback.print_exc(file=out)
    finally:
        os._exit(code)


def _end(_signal: int, _frame: object) -> None:
    global _ending  # noqa: PLW0603 - a signal has no other way to be heard
    _ending = True


def _forget_connections() -> None:
    for one in connections.all(initialized_only=True):
        _inherited.append(one.connection)
        one.connection = None
        one.in_atomic_block = False
