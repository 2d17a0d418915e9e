"""Tell many stories: ``python -m tests.stories --stories 5000 --seed 1``. Exits with 1 where any of them found a fault.

Uses a test database of its own beside ``DATABASE_URL``, and keeps it. Two at once need two databases.
"""

import argparse
import logging
import os
import sys
from collections import Counter
from re import sub

import django

from tests.machine import stopwatch

MANY = 100
"""After so many it says how far it is."""


def main() -> int:
    asked = _arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    django.setup()
    from django.test.utils import setup_databases, setup_test_environment  # noqa: PLC0415 - needs the settings

    logging.getLogger("causeway").handlers.clear()
    logging.getLogger("causeway").propagate = False
    setup_test_environment()
    setup_databases(verbosity=0, interactive=False, keepdb=True)
    return 1 if _tell_all(asked) else 0


def _tell_all(asked: argparse.Namespace) -> Counter[str]:
    from django.db import transaction  # noqa: PLC0415 - needs the settings

    from tests.stories.faults import planted  # noqa: PLC0415 - as above
    from tests.stories.stage import set_prices, staged  # noqa: PLC0415 - as above
    from tests.stories.telling import tell  # noqa: PLC0415 - as above

    found, first_found, reached, seconds = Counter[str](), dict[str, int](), Counter[str](), stopwatch()
    with staged() as clock, planted(asked.plant), transaction.atomic():
        set_prices()
        for seed in range(asked.seed, asked.seed + asked.stories):
            told = tell(seed, clock)
            if asked.stories == 1 or (told.faults and not found):
                print(told, flush=True)
            reached += told.reached
            for kind in {_kind(one) for one in told.faults}:
                found[kind] += 1
                first_found.setdefault(kind, seed)
            number = seed - asked.seed + 1
            if number % MANY == 0:
                print(f"{number} told, {sum(found.values())} faults", file=sys.stderr, flush=True)
        transaction.set_rollback(True)  # noqa: FBT003 - as Django has it
    print(f"{number} stories from {asked.seed} in {seconds():.0f} s ({1000 * seconds() / number:.0f} ms each)")
    print("".join(f"  {count} x {kind} (first: {first_found[kind]})\n" for kind, count in found.most_common()), end="")
    print("  " + ", ".join(f"{count} {name}" for name, count in sorted(reached.items())))
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.stories", description=__doc__)
    parser.add_argument("--stories", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", default="", help="put a fault into the service, as tests/stories/faults.py names it")
    return parser.parse_args()


def _kind(fault: str) -> str:
    nameless = sub(r"payer \d|the relayer|a stranger|treasury \d", "somebody", fault)
    return sub(r"0x\w+|[0-9][0-9a-f-]{20,}|\d+(\.\d+)?(E[+-]\d+)?", "#", nameless)[:160]


if __name__ == "__main__":
    sys.exit(main())
