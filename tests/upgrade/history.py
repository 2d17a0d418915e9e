"""The code of the last release, as it was, from the history of this repository."""

import subprocess
import tarfile
from pathlib import Path

from scripts.released import FILE, ROOT


def last_release() -> tuple[str, str]:
    """What it is called, and its commit."""
    [line] = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line.startswith("release ")]
    _, version, commit = line.split()
    return version, commit


def laid_out(commit: str, folder: Path) -> Path:
    """Every file of a commit, in a folder of its own. Raises: AssertionError where the history is cut short."""
    packed = folder / "release.tar"
    command = ("git", "archive", "--format=tar", f"--output={packed}", commit)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"the history has no commit {commit}: git fetch --unshallow\n{done.stderr}"
    home = folder / "release"
    with tarfile.open(packed) as files:
        files.extractall(home, filter="data")
    packed.unlink()
    return home
