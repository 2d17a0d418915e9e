"""B15: a stranger's minute: the service's first start, ``listen``, a payment as the README pays it, its event."""

from scripts.bars.figures import Figure, at_most
from scripts.bars.proofs import failed, proofs, total

PLACE = "tests/sdks/test_stranger.py"
LONGEST_SECONDS = 60


def measure() -> list[Figure]:
    """How long it takes once everything is installed."""
    found = proofs(PLACE)
    what = "from the first start to a settled payment's verified event on the screen"
    seconds = float("inf") if failed(found) else total(found, "seconds")
    return [at_most("B15", what, seconds, LONGEST_SECONDS, "s")]
