"""B6: a long list is read to its end, each row once, while rows are added; an empty page and a repeated cursor too."""

from scripts.bars.figures import Figure, exactly
from scripts.bars.proofs import failed, proofs, total

LONG = "tests/sdks/test_long_lists.py"
VECTORS = (
    "tests/sdks/test_python_calls.py::test_a_list_goes_on_to_its_end_and_no_further",
    "tests/sdks/test_typescript.py",
)
"""Both SDKs on sdks/vectors/pages.json."""


def measure() -> list[Figure]:
    """How many rows were lost or came twice, and how many of the special lists were read wrongly."""
    found, special = proofs(LONG), proofs(*VECTORS)
    wrong = max(total(found, "wrong"), failed(found))
    rows = max((one.figures.get("rows", 0) for one in found), default=0)
    return [
        exactly("B6", f"rows of {rows:,} that are lost or come twice, in {len(found)} clients", wrong, 0, ""),
        exactly("B6", "tests of empty pages, repeated cursors and their like that fail", failed(special), 0, ""),
    ]
