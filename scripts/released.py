"""Writes down what the next release is held to: which migrations a release has, and what its description promises.

Usage: python -m scripts.released VERSION [COMMIT]
Source: docs/upgrade.md, What a migration may do; docs/guides/versions.md.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "config" / "last_release.txt"
DESCRIPTION = ROOT / "config" / "last_openapi.yaml"
NOT_WIRE = frozenset({"description", "summary", "tags", "example", "examples", "externalDocs", "info", "servers"})
"""What may change without breaking a client."""
NAMED = frozenset({"properties", "schemas", "headers", "securitySchemes", "paths", "webhooks"})
"""Whose keys are names, and no words of the description."""
HEAD = """\
# The last release: what it is called, its commit, and the migrations that it had. Written by `make released`.
# What came after them is held to docs/upgrade.md, What a migration may do.
"""
_REFUSAL = re.compile("[45][0-9]{2}")
_MARK = re.compile("x-(?!open-enum).*")
_MIGRATION = re.compile(r"[a-z_]+/migrations/[0-9]\w*\.py")


def written(version: str, commit: str) -> str:
    """What the file says of a commit. Raises: subprocess.CalledProcessError where the history does not have it."""
    whole = _git("rev-parse", "--verify", f"{commit}^{{commit}}").strip()
    names = _git("ls-tree", "-r", "--name-only", whole).splitlines()
    found = sorted(name.removesuffix(".py").replace("/", ".") for name in names if _MIGRATION.fullmatch(name))
    return "".join((HEAD, f"release {version} {whole}\n", *(f"{name}\n" for name in found)))


def promised(commit: str) -> str:
    """The wire that a commit's description promises, without its texts. Raises: subprocess.CalledProcessError."""
    described = yaml.load(_git("show", f"{commit}:docs/openapi.yaml"), Loader=yaml.CSafeLoader)
    head = "# What the description of the last release promises, without texts. Written by `make released`.\n"
    return head + yaml.dump(
        wire(described), Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=None, width=140
    )


def wire(node: Any, *, are_names: bool = False) -> Any:
    """A description, or a part of it, without texts, refusals and marks. ``are_names``: its keys are names."""
    if isinstance(node, list):
        return [wire(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        name: wire(inner, are_names=not are_names and name in NAMED)
        for name, inner in node.items()
        if are_names or not (name in NOT_WIRE or _REFUSAL.fullmatch(name) or _MARK.fullmatch(name))
    }


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main(words: Sequence[str]) -> int:
    """Write the file; the exit code."""
    if len(words) not in (1, 2):
        print(__doc__)
        return 2
    commit = words[1] if words[1:] else "HEAD"
    FILE.write_text(written(words[0], commit), encoding="utf-8")
    DESCRIPTION.write_text(promised(commit), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
