"""B8: the same story of a merchant in every runtime: CPython, Node, Deno, Bun and workerd."""

from scripts.bars.figures import Figure, exactly
from scripts.bars.proofs import proofs

STORIES = {
    "tests/sdks/test_python_service.py::test_a_story_from_the_price_to_the_list": 1,
    "tests/sdks/test_typescript_runtimes.py::test_the_story_in_node_deno_and_bun": 3,
    "tests/sdks/test_typescript_runtimes.py::test_the_story_in_workerd": 1,
}
"""Each test, and in how many runtimes it tells the story."""


def measure() -> list[Figure]:
    """In how many it ends well."""
    done = sum(runtimes for place, runtimes in STORIES.items() if all(one.passed for one in proofs(place)))
    wanted = sum(STORIES.values())
    return [exactly("B8", "runtimes: CPython, Node, Deno, Bun, workerd", done, wanted, "")]
