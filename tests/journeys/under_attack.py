"""Measures what others notice of each attack: how long payments take to settle, and how long a question waits.

Usage: python -m scripts.with_services -- python -m tests.journeys.under_attack [NAME ...]
Prints the tables of docs/reliability.md. A measurement, and no verdict: a machine may be as slow as it likes.
"""

import http
import os
import signal
import statistics
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from tests.journeys.attacks import ATTACKS, OUTAGES, named, own_redis
from tests.journeys.http_caller import Caller, soon
from tests.journeys.production import Production, production
from tests.journeys.stories import is_settled, paid
from tests.machine import own_port, pause, stopwatch

PAYMENTS = 20
ALL = "all at once"
KILLED, SWALLOWS = "gone for three minutes", "takes and answers nothing for three minutes"
OUT = "outages"
AWAY_SECONDS = 180


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


def without_redis(name: str) -> str:
    """Measure three minutes without Redis: the longest answer meanwhile, and when all is settled after its return."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis = stack.enter_context(own_redis(folder))
        url = redis.environment["REDIS_URL"]
        service = stack.enter_context(production(folder, own_port(), redis_url=url, RATE_LIMIT_SCALE="1000"))
        victim = service.merchant("other")
        assert redis.process is not None
        redis.kill() if name == KILLED else os.kill(redis.process.pid, signal.SIGSTOP)
        away, waited, intents = stopwatch(), [], []

        def asked(method: str, path: str, body: object = None) -> Any:
            took = stopwatch()
            answer = victim.send(method, path, body)
            waited.append(took())
            assert answer.status < http.HTTPStatus.BAD_REQUEST, answer.raw
            return answer.body

        while away() < AWAY_SECONDS:
            intents.append(asked("POST", "/payment-intents", {"amount": 25})["id"])
            asked("POST", f"/test-helpers/payment-intents/{intents[-1]}/pay")
            asked("GET", f"/payment-intents/{intents[-1]}")
            pause(AWAY_SECONDS / PAYMENTS)
            service.revive()
        before = sum(is_settled(victim, intent) for intent in intents)
        redis.start() if name == KILLED else os.kill(redis.process.pid, signal.SIGCONT)
        back = stopwatch()

        def all_settled() -> bool:
            service.revive()
            return all(is_settled(victim, intent) for intent in intents)

        soon(all_settled, "payments of while Redis was away")
        return f"| {name} | {max(waited) * 1000:.0f} | {before} of {len(intents)} | {back():.1f} |"


def _is_named(service: Production, name: str) -> bool:
    return name in named(service)


def outages() -> None:
    """Measure how long readiness takes to name what stopped."""
    print("| What stopped | named by readiness as | after, s |\n|---|---|---|")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(production(folder, own_port(), RATE_LIMIT_SCALE="1000"))
        for name, outage in OUTAGES.items():
            took = stopwatch()
            with outage(service):
                soon(partial(_is_named, service, name), f"{name} named")
                print(f"| {(outage.__doc__ or name).rstrip('.')} | `{name}` | {took():.1f} |", flush=True)
            soon(lambda: not named(service), f"readiness after {name}")


def main(names: list[str]) -> None:
    """Measure each, in a deployment of its own."""
    if OUT in names or not names:
        outages()
    for name in [name for name in (KILLED, SWALLOWS) if name in names or not names]:
        print("| Redis | longest answer, ms | settled meanwhile | all settled after its return, s |\n|---|---|---|---|")
        print(without_redis(name), flush=True)
    names = [name for name in names or ["nothing", *ATTACKS, ALL] if name not in (KILLED, SWALLOWS, OUT)]
    if names:
        print("| Meanwhile | settled: median / longest, s | `GET` of an intent: median / longest, ms |")
        print("|---|---|---|")
    for name in names:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            service = stack.enter_context(production(folder, own_port()))
            print(told(service, name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
