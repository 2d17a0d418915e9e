"""A merchant's server that creates a payment so often a second, and pays it, whatever becomes of those before.

Usage: python -m scripts.day.trickle JOURNAL KEY RATE NAME    Until it is killed. What got no success is sent again
under the same key until it has one. Standard library only.
"""

import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

from scripts.cluster.journal import ASKED, CREATED, PAID, Journal
from scripts.cluster.load import Caller, Wrong

MOST_AT_ONCE = 400


class Patient(Caller):
    """Sends again once a second: a hundred who wait are no attack."""

    pause_seconds = 1.0


def pay_one(journal: Journal, key: str, name: str) -> None:
    """One payment, as far as its merchant and its payer do it. One that is refused is in the journal, unpaid."""
    caller = Patient(key, journal)
    journal.add(ASKED, name=name)
    try:
        wanted = {"amount": 25, "reference": name}
        intent_id = caller.insist("/payment-intents", wanted, f"create-{name}")["id"]
        journal.add(CREATED, id=intent_id, name=name)
        caller.insist(f"/test-helpers/payment-intents/{intent_id}/pay", {}, f"pay-{name}")
        journal.add(PAID, id=intent_id, name=name)
    except Wrong:
        return


def main() -> NoReturn:
    """Begin a payment at each turn, in a thread of its own."""
    path, key, rate, name = sys.argv[1:]
    journal, number, begun = Journal(Path(path)), 0, time.monotonic()
    while True:
        number += 1
        time.sleep(max(0.0, begun + number / float(rate) - time.monotonic()))
        if threading.active_count() <= MOST_AT_ONCE:
            threading.Thread(target=pay_one, args=(journal, key, f"{name}-{number}"), daemon=True).start()


if __name__ == "__main__":
    main()
