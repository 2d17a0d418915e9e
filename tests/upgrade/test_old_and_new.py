"""A release goes out and is taken back: the code of the last one and this one serve one database, together and in turn.

Needs the history down to that release: its commit stands in ``config/last_release.txt``.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.released import FILE, written
from tests.journeys.http_caller import Caller, Unreachable, soon
from tests.journeys.production import ENTRY, Production, empty_database, own_redis, programs_of, settings_of
from tests.journeys.programs import ROOT, clean_environment
from tests.journeys.recipe import Receiver, receiving
from tests.journeys.stories import is_settled, register
from tests.machine import PATIENCE_SECONDS, own_port
from tests.upgrade.history import laid_out, last_release

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]

WORKS = ("worker money", "worker delivery", "worker upkeep", "worker reader", "beat")


@dataclass(frozen=True)
class Versions:
    old: Production
    new: Production


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Versions]:
    """A deployment of each, none of it started, over one empty database."""
    home, redis_url = laid_out(last_release()[1], tmp_path), own_redis(os.environ["REDIS_URL"])
    with empty_database(os.environ["DATABASE_URL"], f"upgrade_{own_port()}") as database_url:

        def deployed(name: str, home: Path) -> Production:
            folder, port = tmp_path / name, own_port()
            folder.mkdir()
            told = settings_of(port, database_url, redis_url)
            environment = clean_environment(**told, LOCAL_DIR=str(folder), TMPDIR=str(folder))
            programs = programs_of(folder, environment, home=home)
            return Production(f"http://localhost:{port}", environment, programs, ENTRY, home)

        both = Versions(deployed("old", home), deployed("new", ROOT))
        try:
            yield both
        finally:
            both.old.end()
            both.new.end()


def start(service: Production, *kinds: str) -> None:
    for kind in kinds:
        service.programs[kind].start()


def stop(service: Production, *kinds: str) -> None:
    """As a deployment does it: what a program has begun it ends."""
    for kind in kinds:
        service.programs[kind].stop()


def created(at: Caller) -> str:
    answer = at.post("/payment-intents", {"amount": 25})
    assert answer.status == 201, answer.raw
    return str(answer.body["id"])


def pay(at: Caller, intent: str) -> str:
    answer = at.post(f"/test-helpers/payment-intents/{intent}/pay")
    assert answer.status == 200, answer.raw
    return intent


def settled(at: Caller, receiver: Receiver, *intents: str) -> list[str]:
    """Once the merchant reads it and was sent all of it."""
    for intent in intents:
        soon(lambda intent=intent: is_settled(at, intent), f"intent {intent} settled")  # type: ignore[misc]  # a lambda's default has no type
    receiver.wait_for(
        lambda got: [got.sequences(one) for one in intents] == [[1, 2, 3, 4]] * len(intents), PATIENCE_SECONDS
    )
    return list(intents)


def test_the_release_is_written_down_as_it_was() -> None:
    assert FILE.read_text(encoding="utf-8") == written(*last_release())


def test_old_and_new_serve_one_database_and_old_goes_on_when_the_release_is_taken_back(versions: Versions) -> None:
    old, new = versions.old, versions.new
    old.manage("migrate")
    old.start()
    key = old.keys("shop")["test_secret_key"]
    at_old, at_new = Caller(base_url=old.base_url, key=key), Caller(base_url=new.base_url, key=key)
    with receiving() as receiver:
        register(at_old, receiver)
        done = settled(at_old, receiver, pay(at_old, created(at_old)))
        open_before = [created(at_old) for _ in range(3)]

        refuses_tables_of_before(new)
        new.manage("migrate")
        done += settled(at_old, receiver, pay(at_old, open_before.pop()), pay(at_old, created(at_old)))

        new.start()
        done += settled(at_new, receiver, pay(at_new, open_before.pop()), pay(at_new, created(at_old)))
        done += settled(at_old, receiver, pay(at_old, created(at_new)))

        stop(old, *WORKS)
        done += settled(at_old, receiver, pay(at_old, created(at_old)), pay(at_old, created(at_new)))

        stop(new, *WORKS)
        begun = [pay(at_new, created(at_new)), pay(at_old, created(at_new))]
        stop(new, "web")
        new.manage("prepare_rollback")
        start(old, *WORKS)
        done += settled(at_old, receiver, *begun, pay(at_old, open_before.pop()), pay(at_old, created(at_old)))

    told = [event for event in receiver.accepted() if event["type"] == "payment_intent.settled"]
    assert Counter(event["resource"]["id"] for event in told) == dict.fromkeys(done, 1)
    steps = {(event["resource"]["id"], event["sequence"]): event["id"] for event in receiver.accepted()}
    assert len(steps) == len({event["id"] for event in receiver.accepted()}) == 4 * len(done)
    assert {delivery.genuine for delivery in receiver.deliveries} == {True}
    for service in (old, new):
        service.manage("check_invariants")


def refuses_tables_of_before(new: Production) -> None:
    """Web serves what it can and says what is missing; a worker does not start."""
    start(new, "web", "worker money")
    checks = soon(lambda: readiness(new), "an answer of the new version")
    assert checks["migrations"]["status"] == "unavailable"
    assert checks["migrations"]["detail"].endswith("migrations are not applied: run manage.py migrate.")
    worker = new.programs["worker money"]
    soon(lambda: not worker.is_alive, "the end of the worker")
    assert "migrations are not applied, the first is " in worker.printed()
    stop(new, "web")


def readiness(service: Production) -> dict[str, dict[str, str]]:
    try:
        answer = Caller(base_url=service.base_url).get("/api/public/health/ready")
    except Unreachable:
        return {}
    checks: dict[str, dict[str, str]] = answer.body["checks"]
    return checks
