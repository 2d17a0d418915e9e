"""Writes down which migrations a release has: those of the next are held to what its code bears.

Usage: python -m scripts.released VERSION [COMMIT]
Source: docs/upgrade.md, What a migration may do.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "config" / "last_release.txt"
HEAD = """\
# The last release: what it is called, its commit, and the migrations that it had. Written by `make released`.
# What came after them is held to docs/upgrade.md, What a migration may do.
"""
_MIGRATION = re.compile(r"[a-z_]+/migrations/[0-9]\w*\.py")


def written(version: str, commit: str) -> str:
    """What the file says of a commit. Raises: subprocess.CalledProcessError where the history does not have it."""
    whole = _git("rev-parse", "--verify", f"{commit}^{{commit}}").strip()
    names = _git("ls-tree", "-r", "--name-only", whole).splitlines()
    found = sorted(name.removesuffix(".py").replace("/", ".") for name in names if _MIGRATION.fullmatch(name))
    return "".join((HEAD, f"release {version} {whole}\n", *(f"{name}\n" for name in found)))


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main(words: Sequence[str]) -> int:
    """Write the file; the exit code."""
    if len(words) not in (1, 2):
        print(__doc__)
        return 2
    FILE.write_text(written(words[0], words[1] if words[1:] else "HEAD"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
