"""Measures what others notice of each attack: how long payments take to settle, and how long a question waits.

Usage: python -m scripts.with_services -- python -m tests.journeys.under_attack [NAME ...]
Prints the table of docs/reliability.md. A measurement, and no verdict: a machine may be as slow as it likes.
"""

import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.journeys.attacks import ATTACKS
from tests.journeys.http_caller import Caller
from tests.journeys.production import Production, production
from tests.journeys.stories import paid
from tests.machine import own_port, stopwatch

PAYMENTS = 20
ALL = "all at once"


def measured(victim: Caller) -> str:
    """A row of the table: seconds of payments and of questions between them."""
    settled, asked = [], []
    for _ in range(PAYMENTS):
        took = stopwatch()
        intent_id = paid(victim)
        settled.append(took())
        took = stopwatch()
        assert victim.get(f"/payment-intents/{intent_id}").status == 200
        asked.append(took())
    middle = f"{statistics.median(settled):.1f} / {max(settled):.1f}"
    return f"{middle} | {statistics.median(asked) * 1000:.0f} / {max(asked) * 1000:.0f} |"


def told(service: Production, name: str) -> str:
    """Measure under one attack, under all of them, or on a usual day."""
    chosen = list(ATTACKS) if name == ALL else [name] if name in ATTACKS else []
    with ExitStack() as stack:
        for attack in chosen:
            stack.enter_context(ATTACKS[attack](service))
        return f"| {name} | {measured(service.merchant('other'))}"


def main(names: list[str]) -> None:
    """Measure each, in a deployment of its own."""
    print("| Meanwhile | settled: median / longest, s | `GET` of an intent: median / longest, ms |")
    print("|---|---|---|")
    for name in names or ["nothing", *ATTACKS, ALL]:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            service = stack.enter_context(production(folder, own_port(), RATE_LIMIT_SCALE="1000"))
            print(told(service, name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
