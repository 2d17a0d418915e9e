"""B4: whatever a network loses, at each POST, each SDK and style leaves exactly one effect of a call."""

from scripts.bars.figures import Figure, exactly
from scripts.bars.proofs import failed, proofs, total

PLACES = {
    "Python": "tests/sdks/test_python_faults.py",
    "TypeScript": "tests/sdks/test_typescript_runtimes.py::test_each_fault_of_a_network_leaves_one_effect",
}


def measure() -> list[Figure]:
    """How many cells, a fault at a POST, left another number of effects than one."""
    figures = []
    for language, place in PLACES.items():
        found = proofs(place)
        wrong = max(total(found, "wrong"), failed(found))
        what = f"of {total(found, 'cells')} faults at POSTs in {language}, those that leave not one effect"
        figures.append(exactly("B4", what, wrong, 0, ""))
    return figures
