"""B3, Python: the import is short, the wheel small, the dependencies one."""

import shutil
import subprocess
import tempfile
import time
import tomllib
from pathlib import Path

from scripts.bars.clocked import shortest
from scripts.bars.figures import Figure, at_most, exactly
from sdks.generator.python import PACKAGE
from sdks.generator.read import ROOT

FOLDER = PACKAGE.parent.parent
VENV = ROOT / ".local" / "sdks-venv" / "bin" / "python"
ROUNDS, MOST_ROUNDS = 9, 60
LONGEST_IMPORT_MS = 60
LARGEST_WHEEL_KIB = 40


def measure() -> list[Figure]:
    """Import, wheel, dependencies."""
    stripe = shortest(lambda: _import_ms("stripe"), 0, rounds=ROUNDS, most=ROUNDS)
    bare = shortest(lambda: _import_ms("sys"), 0, rounds=ROUNDS, most=ROUNDS)
    goal = max(LONGEST_IMPORT_MS, stripe / 4)
    own = shortest(lambda: _import_ms("causeway_sdk"), goal, rounds=ROUNDS, most=MOST_ROUNDS)
    with (FOLDER / "pyproject.toml").open("rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    what = f"import in a new process (nothing: {bare:.0f}, stripe: {stripe:.0f})"
    return [
        at_most("B3", what, round(own), round(goal), "ms"),
        at_most("B3", "the wheel", round(_wheel_kib(), 1), LARGEST_WHEEL_KIB, "KiB"),
        exactly("B3", "dependencies of the Python SDK", len(needed), 1, ""),
    ]


def _import_ms(name: str) -> float:
    begun = time.perf_counter()
    subprocess.run([VENV, "-c", f"import {name}"], check=True, env={"PYTHONPATH": str(PACKAGE.parent)})
    return 1000 * (time.perf_counter() - begun)


def _wheel_kib() -> float:
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "source"
        shutil.copytree(FOLDER, source, ignore=shutil.ignore_patterns("__pycache__", ".mypy_cache", "dist"))
        command = [str(VENV), "-m", "build", "--wheel", "--no-isolation", "--outdir", name, str(source)]
        subprocess.run(command, check=True, capture_output=True)
        return next(Path(name).glob("*.whl")).stat().st_size / 1024
