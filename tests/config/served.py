"""Starts ``manage.py up`` as a person does, and looks at it from outside."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.machine import PATIENCE_SECONDS, own_port, wait_until

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = ("PATH", "HOME", "LANG", "TMPDIR")
"""What a newcomer's shell has; nothing of the test suite's own settings."""


def start(folder: Path, port: int, log: Path, **environment: str) -> subprocess.Popen[str]:
    """The command; its words go into the log."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    with log.open("w") as words:
        return subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(port)],
            cwd=ROOT,
            env={**kept, "LOCAL_DIR": str(folder), **environment},
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


@dataclass
class Served:
    folder: Path
    port: int
    log: Path
    process: subprocess.Popen[str]

    @property
    def said(self) -> str:
        return self.log.read_text()

    @property
    def demo(self) -> dict[str, str]:
        read: dict[str, str] = json.loads((self.folder / "demo.json").read_text())
        return read

    def ask(self, path: str, body: object = None, key: str = "") -> tuple[int, Any]:
        """Speak HTTP: status and body; status 0 where nobody listens."""
        url = f"http://127.0.0.1:{self.port}{path}"
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        sent = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(url, sent, headers), timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - our own address
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.loads(refusal.read())
        except OSError:
            return 0, None

    def is_ready(self) -> bool:
        return self.ask("/api/public/health/ready")[0] == 200

    def processes(self) -> list[int]:
        """The command and everything it started, by the data folder in their environment."""
        return [pid for pid in all_processes() if environment_of(pid).get("LOCAL_DIR") == str(self.folder)]

    def serving(self) -> int:
        """The process that serves: the child of the one that was started."""
        [child] = [pid for pid in self.processes() if parent_of(pid) == self.process.pid]
        return child

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(PATIENCE_SECONDS)


@contextlib.contextmanager
def served(folder: Path, port: int | None = None, **environment: str) -> Iterator[Served]:
    """A service that is ready, and gone afterwards."""
    port = port or own_port()
    log = folder.parent / f"{uuid.uuid4().hex}.log"
    running = Served(folder, port, log, start(folder, port, log, **environment))
    try:
        wait_for(lambda: running.process.poll() is not None or "is running" in running.said, running)
        assert running.process.poll() is None, running.said
        yield running
    finally:
        for pid in [*running.processes(), running.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        running.process.wait()


def wait_for(happens: Callable[[], bool], running: Served) -> None:
    """Wait until something is so. Raises: AssertionError, shown below what the service said."""
    try:
        wait_until(happens, "the service")
    except AssertionError as error:
        error.add_note(running.said)
        raise


def all_processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def environment_of(pid: int) -> dict[str, str]:
    """A process's environment when it started; empty when it is gone, a zombie or somebody else's."""
    with contextlib.suppress(OSError):
        pairs = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        return dict(pair.decode(errors="replace").split("=", 1) for pair in pairs if b"=" in pair)
    return {}


def parent_of(pid: int) -> int:
    """A process's parent; 0 when it is gone."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def memory_of(pids: list[int]) -> int:
    """Megabytes of several processes; what they share with each other is counted once, with strangers in full.

    Why not the proportional set size alone: it shrinks while other programs use the same libraries. Source: proc(5).
    """
    own, files = 0, dict[str, int]()
    for pid in pids:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        own += sum(map(int, re.findall(r"^Pss_(?:Anon|Shmem): +(\d+)", rollup, re.MULTILINE)))
        for file, kilobytes in _mapped_files(pid).items():
            files[file] = max(files.get(file, 0), kilobytes)
    return (own + sum(files.values())) // 1024


def _mapped_files(pid: int) -> dict[str, int]:
    """How much of each file is in a process's memory, without the pages it made its own; in kilobytes."""
    found = Counter[str]()
    for mapping in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", Path(f"/proc/{pid}/smaps").read_text(), flags=re.MULTILINE):
        path = mapping.partition("\n")[0].partition("/")[2]
        sizes = dict(re.findall(r"^(Rss|Anonymous): +(\d+)", mapping, re.MULTILINE))
        if path:
            found[path] += int(sizes["Rss"]) - int(sizes["Anonymous"])
    return found
