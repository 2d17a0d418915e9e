"""Runs the service as people run it: real processes with an environment of their own.

Must not import the service: what a test knows of it comes over HTTP, from its output or from its database.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.journeys.http_caller import Caller, Unreachable, soon
from tests.machine import PATIENCE_SECONDS
from tests.templates import copy_sqlite

ROOT = Path(__file__).resolve().parents[2]
DATABASE = "causeway.sqlite3"
KEPT = ("PATH", "HOME", "LANG", "TZ", "CHROMIUM")
"""Why so little: the test runner's own settings must not reach the service."""


def clean_environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    kept["PATH"] = f"{Path(sys.executable).parent}:{kept.get('PATH', '')}"
    return {**kept, "PYTHONUNBUFFERED": "1", **more}


@dataclass
class Program:
    """One process, in a session of its own. Its output goes to a file that grows over restarts."""

    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    home: Path = ROOT

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command, env=dict(self.environment), cwd=self.home, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """``kill -9`` of this one process: what it started must see for itself what to do."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE_SECONDS)

    def kill_with_children(self) -> None:
        if self.process is not None:
            self._signal_group(signal.SIGKILL)
            self.process.wait(PATIENCE_SECONDS)

    def ask_to_end(self) -> None:
        if self.is_alive:
            assert self.process is not None
            self.process.terminate()

    def stop(self) -> int:
        self.ask_to_end()
        return self.ended()

    def ended(self) -> int:
        """Wait until it is, and take away whatever it left; how it ended."""
        if self.process is None:
            return 0
        try:
            return self.process.wait(PATIENCE_SECONDS)
        finally:
            self._signal_group(signal.SIGKILL)

    def printed(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def _signal_group(self, number: signal.Signals) -> None:
        assert self.process is not None
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            return


def run_to_end(command: Sequence[str], environment: Mapping[str, str], home: Path = ROOT) -> str:
    done = subprocess.run(command, env=dict(environment), cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass
class Embedded:
    folder: Path
    port: int
    more: Mapping[str, str] = field(default_factory=dict)
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        self.program = Program(
            command=(sys.executable, "manage.py", "up", "--port", str(self.port)),
            environment=clean_environment(LOCAL_DIR=str(self.folder), **self.more),
            log=self.folder / "up.log",
        )

    @property
    def base_url(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        if not (self.folder / DATABASE).exists():
            self._lay_tables()
        self.program.start()
        said = self.program.printed().count("Causeway is running")
        soon(lambda: self._has_spoken_again(said), "manage.py up")

    def _lay_tables(self) -> None:
        """Copy them. Why the network is forgotten: a database keeps to that of its first start."""
        copy_sqlite(self.folder / DATABASE)
        with closing(sqlite3.connect(self.folder / DATABASE)) as database, database:
            database.execute("DELETE FROM chains_networkprofile")

    def _has_spoken_again(self, said: int) -> bool:
        assert self.program.is_alive, self.program.printed()[-3000:]
        return self.program.printed().count("Causeway is running") > said

    def revive(self) -> None:
        """Nothing to do: it looks after its own processes."""

    def start_over(self) -> None:
        self.program.kill()
        self.start()

    def manage(self, *arguments: str) -> str:
        return run_to_end((sys.executable, "manage.py", *arguments), self.program.environment)

    @property
    def demo(self) -> dict[str, str]:
        kept: dict[str, str] = json.loads((self.folder / "demo.json").read_text())
        return kept

    def merchant(self) -> Caller:
        return Caller(base_url=self.base_url, key=self.demo["test_secret_key"])


def is_ready(base_url: str) -> bool:
    try:
        return Caller(base_url=base_url).get("/api/public/health/ready").status == 200
    except Unreachable:
        return False


@contextmanager
def embedded(folder: Path, port: int, **more: str) -> Iterator[Embedded]:
    service = Embedded(folder=folder, port=port, more=more)
    try:
        service.start()
        yield service
    finally:
        service.program.stop()
