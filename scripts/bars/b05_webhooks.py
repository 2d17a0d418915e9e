"""B5, Python: the vectors, and the verdicts that differ from the service's."""

import json
import sys

from scripts.bars.figures import Figure, exactly
from sdks.generator import vectors
from sdks.generator.python import PACKAGE

FEWEST = 60


def measure() -> list[Figure]:
    """How many vectors there are, and how many verdicts differ."""
    sys.path.insert(0, str(PACKAGE.parent))
    from causeway_sdk import webhooks  # noqa: PLC0415 - found by the line above

    found = json.loads((vectors.FOLDER / "webhooks.json").read_text(encoding="utf-8"))["vectors"]
    different = 0
    for one in found:
        try:
            webhooks.verify(one["body"].encode(), one["headers"], one["secrets"], now=one["now"])
            given = None
        except webhooks.WebhookVerificationError as error:
            given = str(error.reason)
        different += given != one["refusal"]
    count = Figure(
        bar="B5",
        what="webhook vectors",
        value=str(len(found)),
        goal=f"≥ {FEWEST}",
        unit="",
        reached=len(found) >= FEWEST,
    )
    return [count, exactly("B5", "verdicts of Python that differ from the service's", different, 0, "")]
