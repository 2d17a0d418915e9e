"""B1: every operation of a merchant's server is in the SDK, and no name is configured."""

import sys

from scripts.bars.figures import Figure, exactly
from sdks.generator.python import PACKAGE
from sdks.generator.read import read_api
from sdks.generator.typescript import TARGET, camel


def measure() -> list[Figure]:
    """The share of operations that can be called, blocking and awaited."""
    sys.path.insert(0, str(PACKAGE.parent))
    from causeway_sdk import AsyncCauseway, Causeway  # noqa: PLC0415 - found by the line above

    figures = []
    for client in (Causeway("sk_test_x"), AsyncCauseway("sk_test_x")):
        methods = [(service.name, method.name) for service in read_api().services for method in service.methods]
        called = [pair for pair in methods if callable(getattr(getattr(client, pair[0]), pair[1], None))]
        share = 100 * len(called) / len(methods)
        what = f"operations of {len(methods)} in Python's {type(client).__name__}"
        figures.append(exactly("B1", what, share, 100, "%"))
    return [*figures, _in_typescript()]


def _in_typescript() -> Figure:
    """What its core can send, by the table that it reads."""
    wanted = {
        f"{camel(service.name)}.{camel(method.name)}" for service in read_api().services for method in service.methods
    }
    table = TARGET.read_text(encoding="utf-8").split("export const OPERATIONS = `")[1].split("`")[0]
    blocks = [block.split("\n") for block in table.split("\n\n")]
    found = {f"{first.split()[0]}.{line.split()[0]}" for first, *lines in blocks for line in lines}
    share = 100 * len(wanted & found) / len(wanted)
    return exactly("B1", f"operations of {len(wanted)} in TypeScript's Causeway", share, 100, "%")
