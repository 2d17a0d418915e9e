"""Measures live mode over a node of its own and prints figures and lines as JSON.

Usage: python -m scripts.bench.live.run MERCHANT_ID FOLDER [--quick]     With the service's settings in the environment.
"""

import argparse
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from localnet.addresses import CHAIN_IDS
from localnet.nodes import running

BLOCKS = ("--block-time", "2", "--mixed-mining")
"""A block every two seconds, and one with each transaction that is sent alone."""


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """How much is measured: payments that are open, of them paid; seconds; intents that end; payments timed."""

    opened: int = 1_000
    watched_seconds: int
    paid: int
    ending: int = 2_000
    timed: int


FULL = Amounts(watched_seconds=60, paid=400, timed=100)
QUICK = Amounts(watched_seconds=30, paid=200, timed=40)


def main() -> None:
    """Start the node, load the service, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("merchant_id", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    with running(CHAIN_IDS["base"], *BLOCKS) as node:
        os.environ["RPC_URLS_BASE"] = node.url
        from scripts.bench.live.measures import measure  # noqa: PLC0415  Why: loads the service, with that address.

        figures, lines = measure(
            node, arguments.merchant_id, arguments.folder, **asdict(QUICK if arguments.quick else FULL)
        )
    print(json.dumps({"figures": figures, "lines": lines}))


if __name__ == "__main__":
    main()
