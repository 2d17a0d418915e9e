"""A merchant's server that asks for one intent again and again, and prints how each answer came.

Usage: KEY=sk_… python -m tests.journeys.asking BASE_URL INTENT_ID SECONDS_BETWEEN
Prints a line an answer, ``STATUS SECONDS``, until its input ends. Why a program of its own: in the process that plays
payers, attackers and nodes a question waits for all of those before it is even sent.
"""

import os
import sys
from threading import Event, Thread

from tests.journeys.http_caller import Caller
from tests.machine import stopwatch


def main(base_url: str, intent_id: str, seconds_between: str) -> None:
    """Ask until nobody wants to know any more. The answer that is on its way then is waited for."""
    caller, is_over = Caller(base_url=base_url, key=os.environ["KEY"]), Event()

    def await_the_end() -> None:
        sys.stdin.read()
        is_over.set()

    Thread(target=await_the_end, daemon=True).start()
    while not is_over.wait(float(seconds_between)):
        took = stopwatch()
        status = caller.get(f"/payment-intents/{intent_id}").status
        print(status, took(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
