"""B5: whoever judges a webhook gives the service's verdict: both SDKs, and every copy that is taken or asked."""

from scripts.bars.figures import Figure, exactly
from scripts.bars.proofs import failed, proofs, total

PYTHON = "tests/sdks/test_python_webhooks.py"
PLACES = {
    "Python": f"{PYTHON}::test_ten_thousand_headers_made_by_chance_get_the_services_verdict_and_none_is_believed",
    "TypeScript": "tests/sdks/test_typescript_webhooks.py",
    "the guide's two recipes, sample shop, demo shop, dashboard, agents' tool": "tests/sdks/test_copies.py",
}
VECTORS_OF_TYPESCRIPT = "tests/sdks/test_typescript.py::test_the_core_does_what_it_says[vectors.test.mjs]"


def measure() -> list[Figure]:
    """How many verdicts differ."""
    missed = failed(proofs(VECTORS_OF_TYPESCRIPT))
    figures = [exactly("B5", "tests of the vectors in TypeScript that fail", missed, 0, "")]
    for name, place in PLACES.items():
        found = proofs(place)
        wrong = max(total(found, "wrong"), failed(found))
        what = f"verdicts that differ over {total(found, 'asked'):,} headers ({name})"
        figures.append(exactly("B5", what, wrong, 0, ""))
    return figures
