"""B9: every sample of every guide and of the README runs as it is written: in a terminal, Python and TypeScript."""

from scripts.bars.figures import Figure, exactly
from scripts.bars.proofs import failed, proofs

PLACE = "tests/guides/test_samples.py"


def measure() -> list[Figure]:
    """How many pages of samples do not run."""
    found = proofs(PLACE)
    what = f"of {len(found)} pages of samples in one language, those that do not run as written"
    return [exactly("B9", what, failed(found), 0, "")]
