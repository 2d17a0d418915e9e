"""The workers that settle a payment and the clock, as the container image starts them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.dispatch import MONEY, READER
from core.heartbeats import last_alive
from scripts.bench.stage import ROOT
from scripts.service_process import child

LONGEST_START_SECONDS = 60
LOOK_SECONDS = 0.1


@contextmanager
def money_workers(folder: Path) -> Iterator[None]:
    """Run them until the block ends, which begins when both workers are at work."""
    start = str(ROOT / "scripts" / "container.sh")
    with (
        child(["env", f"TMPDIR={folder}", start, "beat"], folder / "beat.log", user=None),
        child([start, "worker", MONEY], folder / "worker.log", user=None),
        child([start, "worker", READER], folder / "reader.log", user=None),
    ):
        ends_at = time.monotonic() + LONGEST_START_SECONDS
        while last_alive(MONEY) is None or last_alive(READER) is None:
            if time.monotonic() > ends_at:
                raise TimeoutError(f"no workers:\n{(folder / 'worker.log').read_text()[-2000:]}")
            time.sleep(LOOK_SECONDS)
        yield
