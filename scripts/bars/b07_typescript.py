"""B7, TypeScript: every answer and event of tomorrow is read, and nothing throws."""

from scripts.bars.figures import Figure, exactly
from scripts.bars.proofs import failed, proofs

PLACE = "tests/sdks/test_typescript.py::test_the_core_does_what_it_says[forward.test.mjs]"


def measure() -> list[Figure]:
    """Whether the tests of it pass, which ask of every operation and every event."""
    what = "tests of answers, refusals and events of tomorrow in TypeScript that fail"
    return [exactly("B7", what, failed(proofs(PLACE)), 0, "")]
