"""A copy of the service to add something to, as somebody would who follows a checklist.

Why a copy: what there is of pages, tools, providers and chains is read once, when a process starts.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OF_THE_MACHINE = frozenset({"DATABASE_URL", "REDIS_URL", "LOCAL_DIR"})
"""Settings that a copy does not take over. Its database is its own."""


@dataclass(frozen=True, kw_only=True)
class Copy:
    """A folder with all that is under version control, or about to be, and the local nodes."""

    folder: Path

    @classmethod
    def in_folder(cls, folder: Path) -> "Copy":
        """A copy in an empty folder."""
        command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)
                (folder / name).chmod((ROOT / name).stat().st_mode)
        (folder / ".local").mkdir()
        (folder / ".local" / "node").symlink_to(ROOT / ".local" / "node")
        return cls(folder=folder)

    def add(self, path: str, text: str) -> None:
        """A file that was not there."""
        assert not (self.folder / path).exists(), path
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def put_before(self, path: str, line: str, text: str) -> None:
        """Text in a file, before the first place where it says this."""
        before = (self.folder / path).read_text()
        assert line in before, f"{path} says nowhere: {line}"
        (self.folder / path).write_text(before.replace(line, text + line, 1))

    def read(self, path: str) -> str:
        return (self.folder / path).read_text()

    def told(self, *command: str) -> str:
        """What a program of the copy says. Raises: AssertionError with all that it said where it fails."""
        kept = {name: value for name, value in os.environ.items() if name not in OF_THE_MACHINE}
        given = {**kept, "DJANGO_SETTINGS_MODULE": "config.settings_test", "PYTHONPATH": str(self.folder)}
        words = (sys.executable, *command)
        done = subprocess.run(words, cwd=self.folder, env=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def passed(self, *chosen: str) -> int:
        """How many of these tests there are, all green. Raises: AssertionError where one is not, or none is found."""
        said = self.told("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *chosen)
        found = re.search(r"(\d+) passed", said)
        assert found, said
        return int(found[1])
