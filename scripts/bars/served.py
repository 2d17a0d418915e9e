"""The service that bars of the command ask: the embedded default in a folder of its own, and the command beside it."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scripts.service_process import free_port, stop
from sdks.generator.python import PACKAGE
from sdks.generator.read import ROOT

READY_SECONDS = 120.0
ENDS_SECONDS = 180.0
_OURS = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")


@dataclass
class Service:
    """One that can be ended and started again, over the same rows."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def base_url(self) -> str:
        """Where it answers."""
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it is ready. Raises: TimeoutError."""
        command = [sys.executable, "manage.py", "up", "--port", str(self.port)]
        with (self.folder / "up.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment(), stdout=log, stderr=log)
        ends = time.monotonic() + READY_SECONDS
        while not self._is_ready():
            if time.monotonic() > ends or self.process.poll() is not None:
                raise TimeoutError((self.folder / "up.log").read_text(errors="replace")[-2000:])
            time.sleep(0.1)

    def environment(self) -> dict[str, str]:
        """Of the service's own processes: nothing of whoever measures."""
        kept = {name: value for name, value in os.environ.items() if name not in _OURS}
        return {**kept, "LOCAL_DIR": str(self.folder)}

    def manage(self, *arguments: str) -> None:
        """Run a command of its own."""
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, cwd=ROOT, env=self.environment(), check=True, capture_output=True)

    def stop(self) -> None:
        """Stop it."""
        if self.process is not None:
            stop(self.process)

    def kill(self) -> None:
        """End it with ``kill -9``."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(ENDS_SECONDS)

    def terminal(self) -> dict[str, str]:
        """The environment of the command, with a folder of settings of its own."""
        demo = json.loads((self.folder / "demo.json").read_text(encoding="utf-8"))
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(PACKAGE.parent),
            "XDG_CONFIG_HOME": str(self.folder / "settings"),
            "CAUSEWAY_API_KEY": demo["test_secret_key"],
            "CAUSEWAY_BASE_URL": self.base_url,
        }

    def _is_ready(self) -> bool:
        try:
            url = f"{self.base_url}/api/public/health/ready"
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own address; raises for any refusal
                return (self.folder / "demo.json").exists()
        except OSError:
            return False


@contextmanager
def service() -> Iterator[Service]:
    """One that runs, and is stopped and gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="causeway-bars-") as name:
        running = Service(Path(name))
        try:
            running.start()
            yield running
        finally:
            running.stop()


def command(environment: Mapping[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run ``causeway`` to its end."""
    line = [sys.executable, "-m", "causeway_sdk.cli", *arguments]
    return subprocess.run(
        line, env=dict(environment), capture_output=True, text=True, timeout=ENDS_SECONDS, check=False
    )
