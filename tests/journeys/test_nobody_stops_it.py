"""Nobody stops it for everybody: under each attack another merchant's payments settle, with few processes of each kind.

In the production form, since the embedded one hides most of this. How long it takes is measured by
``tests.journeys.under_attack``; a verdict here is for what happens at all.
"""

import os
import signal
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.journeys.attacks import ATTACKS, OUTAGES, forget_signs_of_life, named, own_redis
from tests.journeys.http_caller import Caller, soon
from tests.journeys.production import Production, production
from tests.journeys.programs import is_ready
from tests.journeys.recipe import receiving
from tests.journeys.stories import is_settled, paid, register
from tests.machine import PATIENCE_SECONDS, own_port

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]
PAYMENTS = 3


def settles_and_is_told(other: Caller) -> None:
    """Payments settle while the attack is on, and their merchant hears all of it."""
    with receiving() as receiver:
        register(other, receiver)
        intents = [paid(other) for _ in range(PAYMENTS)]
        told = [[1, 2, 3, 4]] * PAYMENTS
        receiver.wait_for(lambda got: [got.sequences(intent) for intent in intents] == told, PATIENCE_SECONDS)


@pytest.mark.parametrize("name", [*ATTACKS, "all at once"])
def test_another_merchants_payments_settle_meanwhile(name: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        service = stack.enter_context(production(tmp_path, own_port(), RATE_LIMIT_SCALE="1000"))
        for attack in ATTACKS if name not in ATTACKS else [name]:
            stack.enter_context(ATTACKS[attack](service))
        settles_and_is_told(service.merchant("other"))


@pytest.mark.parametrize("ends", ["killed", "swallows"])
def test_without_redis_all_is_answered_and_settles_once_it_is_back(ends: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        redis = stack.enter_context(own_redis(tmp_path))
        url = redis.environment["REDIS_URL"]
        service = stack.enter_context(production(tmp_path, own_port(), redis_url=url, RATE_LIMIT_SCALE="1000"))
        other = service.merchant("other")
        assert redis.process is not None
        if ends == "killed":
            redis.kill()
        else:
            os.kill(redis.process.pid, signal.SIGSTOP)
        intents = []
        for _ in range(PAYMENTS):
            created = other.post("/payment-intents", {"amount": 25})
            assert created.status == 201
            intents.append(created.body["id"])
            assert other.post(f"/test-helpers/payment-intents/{intents[-1]}/pay").status == 200
        assert other.get("/api/public/health").status == 200
        if ends == "killed":
            redis.start()
        else:
            os.kill(redis.process.pid, signal.SIGCONT)

        def all_settled() -> bool:
            service.revive()  # as whoever looks after the processes would
            return all(is_settled(other, intent) for intent in intents)

        soon(all_settled, "payments of while Redis was away")
        soon(lambda: is_ready(service.base_url), "readiness")


def _is_named(service: Production, name: str) -> bool:
    return name in named(service)


def _is_named_alone(service: Production, name: str) -> bool:
    return named(service) == {name}


def test_what_stopped_is_named_and_nothing_else(tmp_path: Path) -> None:
    """A dead worker of each kind, a dead clock, tables of an older version, a broken invariant, a lost key.

    Why all signs of life are forgotten once it is named: whoever needs what stopped to say that it is alive is
    late a moment after it, and would be named too.
    """
    with production(tmp_path, own_port(), RATE_LIMIT_SCALE="1000") as service:
        for name, outage in OUTAGES.items():
            with outage(service):
                soon(partial(_is_named, service, name), f"{name} named")
                forget_signs_of_life(service)
                soon(partial(_is_named_alone, service, name), f"{name} named alone")
            soon(lambda: not named(service), f"readiness after {name}")
