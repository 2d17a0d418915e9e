"""What tests of sdks/typescript build and run it with: the packages of sdks/checks, in .local/sdks-node."""

import os
import subprocess
from functools import cache
from pathlib import Path

from scripts.suite.steps import ROOT
from tests.machine import PATIENCE_SECONDS

PACKAGE = ROOT / "sdks" / "typescript"
TOOLS = ROOT / ".local" / "sdks-node" / "node_modules"
STORIES = ROOT / "tests" / "sdks" / "typescript"


def tool(name: str) -> str:
    """A program of those packages. Raises: AssertionError that says how to install them."""
    path = TOOLS / ".bin" / name
    assert path.exists(), f"{name} is not installed: run make sdk-checks"
    return str(path)


def run(*command: str, folder: Path = ROOT, patience: float = PATIENCE_SECONDS, **environment: str) -> str:
    """What a program prints. Raises: AssertionError with all that it said, when it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "CI": "", **environment},
        capture_output=True,
        text=True,
        timeout=patience,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


@cache
def built(folder: Path) -> Path:
    """The package's modules and types, compiled into ``folder``/dist."""
    run(tool("tsc"), "--project", str(PACKAGE / "tsconfig.json"), "--outDir", str(folder / "dist"))
    (folder / "package.json").write_text((PACKAGE / "package.json").read_text(encoding="utf-8"), encoding="utf-8")
    return folder / "dist"


def bundled(entry: str, target: Path) -> Path:
    """One module with all that it imports, as small as it is served."""
    source = str(PACKAGE / "src" / entry)
    kind = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=error")
    run(tool("esbuild"), source, *kind, f"--outfile={target}")
    return target


def in_node(test: str, dist: Path) -> str:
    """Run a file of tests against the built package."""
    return run("node", "--test", str(STORIES / test), SDK=f"{dist.as_uri()}/", TOOLS=str(TOOLS.parent / "package.json"))
