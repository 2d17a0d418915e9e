"""B14: the description refuses nothing that is good: no amount, and no sample of an event."""

from scripts.bars.figures import Figure, exactly
from scripts.bars.proofs import failed, proofs, total

DESCRIBED = "tests/architecture/test_description.py"
AMOUNTS = f"{DESCRIBED}::test_no_price_is_refused_since_no_validator_is_asked_to_divide_floats"
SAMPLES = "tests/webhooks/test_samples.py::test_a_sample_is_as_its_event_is_described"


def measure() -> list[Figure]:
    """How many of each are refused."""
    amounts, samples = proofs(AMOUNTS), proofs(SAMPLES)
    prices = f"of {total(amounts, 'amounts'):,} amounts, 10,000 prices among them, those that the description refuses"
    return [
        exactly("B14", prices, max(total(amounts, "wrong"), failed(amounts)), 0, ""),
        exactly("B14", f"of {len(samples)} samples of events, those that break their schema", failed(samples), 0, ""),
    ]
