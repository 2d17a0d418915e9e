"""The image as it was built, and its programs in its own root as a container runtime starts them, by Linux alone.

Why no runtime: that would bring a network of its own, while PostgreSQL and Redis of the test run listen on this
machine's loopback only. What compose.yaml asks of a runtime holds here too: a root that is read-only but for /tmp, no
capability, no new privileges.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.journeys.programs import ROOT

FOLDER = ROOT / ".local" / "image"
BUILDAH = ("buildah", "--root", str(FOLDER / "storage"), "--runroot", str(FOLDER / "run"))
ENTER = """
set -eu
root="$1" user="$2" folder="$3"
shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set=-all --inh-caps=-all \\
    --no-new-privs env --chdir="$folder" "$@"
"""
"""Each step in the place of the one before, so that the program has the number of the process that was started."""


@dataclass(frozen=True, kw_only=True)
class Image:
    """What was built: its root, and what it says of itself. ``history`` are the steps that made it."""

    root: Path
    config: dict[str, Any]
    history: str = field(repr=False)

    @property
    def environment(self) -> dict[str, str]:
        """What every program in it finds set."""
        return dict(one.split("=", 1) for one in self.config["Env"])

    @property
    def entry(self) -> tuple[str, ...]:
        """The words that start its entry from here; the entry's own come behind them."""
        return (*self.entering(), *self.config["Entrypoint"])

    def entering(self) -> tuple[str, ...]:
        """The words that start any program of its root."""
        unshared = ("/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", ENTER, "enter")
        return (*unshared, str(self.root), self.config["User"], self.config["WorkingDir"])

    def files(self) -> Iterator[Path]:
        """Every regular file of its root."""
        return (path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink())

    def inside(self, path: Path) -> str:
        """The path as its programs see it."""
        return f"/{path.relative_to(self.root)}"


@contextmanager
def built_image() -> Iterator[Image]:
    """Build the image, and lay its root out while the block runs. Raises: AssertionError with what hindered it."""
    said = subprocess.run(["scripts/build-image.sh"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    container = _buildah("from", "--pull-never", "causeway")
    try:
        told = json.loads(_buildah("inspect", "--type", "image", "causeway"))["OCIv1"]
        root = Path(_buildah("mount", container))
        yield Image(root=root, config=told["config"], history=json.dumps(told["history"]))
    finally:
        _buildah("rm", container)


def _buildah(*words: str) -> str:
    done = subprocess.run([*BUILDAH, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def run_inside(image: Image, *words: str) -> str:
    """What a program of the image prints. Raises: AssertionError."""
    command = (*image.entering(), *words)
    done = subprocess.run(command, env=image.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
