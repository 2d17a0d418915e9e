"""Starts the programs of the cluster, kills them as a machine dies, and starts again what a supervisor would."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from scripts.service_process import ServiceError, die_with_parent

ROOT = Path(__file__).resolve().parents[2]
STOP_SECONDS = 60
"""Longer than what a worker has begun may take."""
RESTART_SECONDS = 1.0
"""After that a supervisor starts again what died, as systemd or Kubernetes would."""
POLL_SECONDS = 0.1
Found = TypeVar("Found")


@dataclass
class Program:
    """One program, in a session of its own, whose output goes to a file that grows over restarts."""

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str]
    user: str | None = None
    folder: Path | None = None
    is_wanted: bool = False
    """Whether a supervisor starts it again."""
    process: "subprocess.Popen[bytes] | None" = None
    _died_at: float | None = None

    @classmethod
    def of_ours(cls, name: str, module: str, arguments: Sequence[str], folder: Path) -> "Program":
        """A module of this repository, run as a program; its output goes into ``folder``."""
        command = [sys.executable, "-m", module, *arguments]
        return cls(name=name, command=command, log=folder / f"{name}.log", environment=dict(os.environ), folder=ROOT)

    def start(self) -> None:
        """Start it, and again whenever it dies."""
        self.is_wanted, self._died_at = True, None
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                env=dict(self.environment),
                cwd=self.folder or self.log.parent,
                user=self.user,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509  Why: no thread runs in this process.
            )

    @property
    def is_alive(self) -> bool:
        """Whether the process that was started runs."""
        return self.process is not None and self.process.poll() is None

    def revive(self) -> None:
        """Start it again when it is wanted and has been dead for a moment."""
        if self.is_alive or not self.is_wanted:
            return
        self._died_at = self._died_at or time.monotonic()
        if time.monotonic() - self._died_at >= RESTART_SECONDS:
            self.start()

    def kill(self, *, for_good: bool = False) -> None:
        """``kill -9`` of it and all that it started, in whichever session. ``for_good``: no supervisor is left."""
        self.is_wanted = self.is_wanted and not for_good
        if self.process is None:
            return
        for pid in [*descendants(self.process.pid), self.process.pid]:
            _signal(pid, signal.SIGKILL)
        self.process.wait(STOP_SECONDS)

    def stop(self) -> None:
        """Ask it to end, and wait until it has. Raises: TimeoutExpired."""
        self.is_wanted = False
        if self.process is not None and self.is_alive:
            self.process.terminate()
            self.process.wait(STOP_SECONDS)

    def printed(self) -> str:
        """The last of what it printed."""
        return self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""


@dataclass
class Supervisor:
    """Every program by its name."""

    programs: dict[str, Program] = field(default_factory=dict)

    def add(self, program: Program) -> None:
        """Start a program, and look after it."""
        self.programs[program.name] = program
        program.start()

    def until(self, look: Callable[[], Found], what: str, seconds: float) -> Found:
        """What ``look`` gives once that is true, while dead programs are started again. Raises: ServiceError."""
        ends_at = time.monotonic() + seconds
        while not (found := look()):
            for program in self.programs.values():
                program.revive()
            if time.monotonic() >= ends_at:
                raise ServiceError(f"Waited {seconds:.0f} s for {what}.")
            time.sleep(POLL_SECONDS)
        return found

    def rest(self, seconds: float) -> None:
        """Let so much time pass, while dead programs are started again."""
        ends_at = time.monotonic() + seconds
        self.until(lambda: time.monotonic() >= ends_at, "the time to pass", seconds + 60)

    def end(self) -> None:
        """Kill every program, the last one first."""
        for program in reversed(self.programs.values()):
            program.kill(for_good=True)


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that these did."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            parents.setdefault(_parent(entry), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def _parent(entry: Path) -> int:
    """The parent of a process of /proc; 0 where it has ended meanwhile."""
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
