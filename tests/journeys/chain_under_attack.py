"""Measures what others notice of each attack on a chain that they share: how long payments take, how long a question.

Usage: python -m scripts.with_services -- python -m tests.journeys.chain_under_attack [NAME ...]
Prints the table of docs/reliability.md. A measurement, and no verdict: a machine may be as slow as it likes.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.journeys.chain_attacks import CHAIN_ATTACKS, ChainAttack, all_at_once
from tests.journeys.crowd import Crowd
from tests.journeys.live_stage import EVM, SOLANA, LiveStage, live_stage
from tests.journeys.stranger import a_stranger

PAYERS = 20
A_MINUTE_BETWEEN_SECONDS = 3.0
"""From one payer to the next, where the attack lasts for a minute."""


@contextmanager
def nothing(_: LiveStage, __: Crowd) -> Iterator[None]:
    """A usual day."""
    yield


ROWS: dict[str, tuple[str, ChainAttack]] = {
    "nothing, on Base": (EVM, nothing),
    "nothing, on Solana": (SOLANA, nothing),
    **CHAIN_ATTACKS,
    "all of these at once": (EVM, all_at_once),
    "a stranger with the links": (EVM, a_stranger),
    "nothing any more, on Base": (EVM, nothing),
}


def measured(stage: LiveStage, name: str) -> str:
    """A row of the table."""
    chain, attack = ROWS[name]
    crowd = Crowd(stage=stage, shop=stage.shop("other"), chain=chain)
    seconds = {"between_seconds": A_MINUTE_BETWEEN_SECONDS} if attack is a_stranger else {}
    with attack(stage, crowd):
        crowd.pay(PAYERS, **seconds)
    middle = f"{statistics.median(crowd.settled):.1f} / {max(crowd.settled):.1f}"
    asked = f"{statistics.median(crowd.asked) * 1000:.0f} / {max(crowd.asked) * 1000:.0f}"
    notes = f" {'; '.join(crowd.notes)}" if crowd.notes else ""
    return f"| {name} | {chain} | {middle} | {asked} |{notes}"


def main(names: list[str]) -> None:
    """Measure each in turn, in one deployment: each finds what those before it left."""
    print("| Meanwhile | others pay on | settled: median / longest, s | `GET` of an intent: median / longest, ms |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, live_stage(Path(folder)) as stage:
        for name in names or ROWS:
            print(measured(stage, name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
