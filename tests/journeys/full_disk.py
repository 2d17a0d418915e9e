"""Fills the disk of PostgreSQL under the production form, and makes room again: what is named, answered, lost, settled.

Usage: mount -t tmpfs -o size=450m tmpfs FOLDER
       TMPDIR=FOLDER python -m scripts.with_services --durable -- python -m tests.journeys.full_disk FOLDER
A measurement by hand, because not every machine lets a test mount anything.
"""

import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

from tests.journeys.attacks import named
from tests.journeys.http_caller import Caller, Unreachable, soon
from tests.journeys.production import production
from tests.journeys.stories import is_settled, paid
from tests.machine import own_port, pause, stopwatch

FULL_SECONDS = 40
CHUNK = b"x" * 65_536
WANTED = {"amount": 25, "metadata": {"note": "x" * 400}}
"""As large as that, so that the pages of before are soon full."""


def fill(disk: Path) -> None:
    """Leave no room."""
    with (disk / "filling").open("ab", buffering=0) as file:
        try:
            while True:
                file.write(CHUNK)
        except OSError:
            return


def answered(victim: Caller, method: str, path: str, body: object = None) -> tuple[str, str]:
    """How a request ended, and the intent that it made."""
    try:
        answer = victim.send(method, path, body)
    except Unreachable:
        return "unreachable", ""
    return str(answer.status), str(answer.body.get("id") or answer.body.get("code"))


def main(disk: Path) -> None:
    """Pay as long as the disk is full, then make room. Raises: AssertionError where what was accepted is lost."""
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        production(Path(folder), own_port(), RATE_LIMIT_SCALE="1000") as service,
    ):
        victim = service.merchant("other")
        paid(victim)
        first, ends, made, longest = dict[str, float](), Counter[tuple[str, str]](), list[str](), 0.0
        full = stopwatch()
        while full() < FULL_SECONDS:
            fill(disk)
            for name in named(service):
                first.setdefault(name, full())
            took = stopwatch()
            status, which = answered(victim, "POST", "/payment-intents", WANTED)
            made += [which] if status == "201" else []
            ends["create", status if status == "201" else f"{status} {which}"] += 1
            intent_id = made[-1] if made else "pi_none"
            ends["pay", answered(victim, "POST", f"/test-helpers/payment-intents/{intent_id}/pay")[0]] += 1
            ends["read", answered(victim, "GET", f"/payment-intents/{intent_id}")[0]] += 1
            longest = max(longest, took())
            pause(0.02)
        settled = sum(is_settled(victim, one) for one in made)
        print(f"named: { {name: round(seconds, 1) for name, seconds in first.items()} }")
        print(f"answers: {dict(ends)}; the longest three together {longest:.1f} s; settled meanwhile {settled}")
        (disk / "filling").unlink()
        room = stopwatch()
        soon(lambda: not named(service), "readiness")
        print(f"ready again after {room():.1f} s")
        for one in made:
            answered(victim, "POST", f"/test-helpers/payment-intents/{one}/pay")
        for one in made:
            soon(partial(is_settled, victim, one), f"{one} settled")
        print(f"all {len(made)} that were accepted are settled after {room():.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
