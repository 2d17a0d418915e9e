"""How often Python looks for cyclic garbage in a process that has loaded everything and serves for long."""

import gc

THRESHOLDS = (20_000, 20, 20)
"""Against 700, 10, 10: nearly all that a request leaves is freed without the collector. Measured: it took a tenth
of a request's processor time."""


def collect_rarely() -> None:
    """Leave what is loaded out of every collection to come, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
