"""B12: the command's help is there at once."""

import subprocess
import sys
import time

from scripts.bars.clocked import shortest
from scripts.bars.figures import Figure, at_most
from sdks.generator.python import PACKAGE

ROUNDS, MOST_ROUNDS = 15, 100
LONGEST_MS = 100


def measure() -> list[Figure]:
    """How long ``causeway --help`` takes, from the start of its process to its end."""
    bare = shortest(lambda: _took_ms("-c", ""), LONGEST_MS, rounds=ROUNDS, most=ROUNDS)
    own = shortest(lambda: _took_ms("-m", "causeway_sdk.cli", "--help"), LONGEST_MS, rounds=ROUNDS, most=MOST_ROUNDS)
    return [at_most("B12", f"causeway --help (Python alone: {bare:.0f})", round(own), LONGEST_MS, "ms")]


def _took_ms(*arguments: str) -> float:
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, env={"PYTHONPATH": str(PACKAGE.parent)}
    )
    return 1000 * (time.perf_counter() - begun)
