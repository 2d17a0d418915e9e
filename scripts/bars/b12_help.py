"""B12: the command's help is there at once."""

import subprocess
import sys
import time

from scripts.bars.figures import Figure, at_most
from sdks.generator.python import PACKAGE

ROUNDS = 15
LONGEST_MS = 100


def measure() -> list[Figure]:
    """How long ``causeway --help`` takes, from the start of its process to its end."""
    bare, own = _took_ms("-c", ""), _took_ms("-m", "causeway_sdk.cli", "--help")
    return [at_most("B12", f"causeway --help (Python alone: {bare:.0f})", round(own), LONGEST_MS, "ms")]


def _took_ms(*arguments: str) -> float:
    """The shortest of several starts. Why the shortest: what else the machine does only adds."""
    took = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, *arguments], check=True, capture_output=True, env={"PYTHONPATH": str(PACKAGE.parent)}
        )
        took.append(time.perf_counter() - begun)
    return 1000 * min(took)
