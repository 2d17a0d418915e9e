"""B3, TypeScript: the package is small for a browser's server or a worker at the edge, and depends on nothing."""

from scripts.bars.figures import Figure, at_most, exactly
from scripts.bars.proofs import failed, proofs

PLACE = "tests/sdks/test_typescript.py"
MOST = {"index.ts": ("all of it", 4096), "webhooks.ts": ("verifying webhooks alone", 1024)}
"""Bytes, minified and by gzip."""


def measure() -> list[Figure]:
    """Bytes and dependencies."""
    sizes = {one.name: one.figures for one in proofs(f"{PLACE}::test_it_is_small")}
    depends = failed(proofs(f"{PLACE}::test_it_depends_on_nothing"))
    return [
        *(
            at_most(
                "B3", f"TypeScript by gzip, {words}", sizes[f"test_it_is_small[{entry}-{most}]"]["bytes"], most, "B"
            )
            for entry, (words, most) in MOST.items()
        ),
        exactly("B3", "dependencies of the TypeScript SDK", depends, 0, ""),
    ]
