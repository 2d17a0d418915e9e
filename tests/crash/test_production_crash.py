"""``kill -9`` in the production form: two workers, the web server and the clock, on PostgreSQL and Redis."""

import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash import ordeal
from tests.crash.ordeal import MUST_PASS, Ordeal
from tests.journeys.production import Production, production
from tests.journeys.recipe import receiving
from tests.machine import own_port, pause

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]

KILLS = int(os.environ.get("CRASH_KILLS", "12"))
SEED = int(os.environ.get("CRASH_SEED", "20261120"))
LONGEST_WAIT_SECONDS = 1.0


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[tuple[Production, Ordeal]]:
    with receiving() as receiver, production(tmp_path, own_port(), **ordeal.armed_environment(tmp_path)) as service:
        yield service, ordeal.begin(service, service.merchant(), receiver, tmp_path)


def test_a_kill_at_every_commit_and_send_and_at_any_moment_loses_nothing(trial: tuple[Production, Ordeal]) -> None:
    """A process dies at each point; in between one of four is killed, and whatever is dead is started again."""
    service, tested = trial
    chance = random.Random(SEED)  # noqa: S311 - no secret, only a choice that can be repeated
    points, reached, killed = tested.points(), set(), Counter[str]()
    with tested.load(0.2):
        for number, point in enumerate(points, start=1):
            reached |= {point} if tested.die_at(point) else set()
            while killed.total() < KILLS * number // len(points):
                pause(chance.uniform(0.0, LONGEST_WAIT_SECONDS))
                victim = chance.choice(sorted(service.programs))
                chance.choice([service.programs[victim].kill, service.programs[victim].kill_with_children])()
                killed[victim] += 1
            service.revive()
    assert killed.total() == KILLS
    assert len(killed) == len(service.programs)
    assert ordeal.kinds_of(reached) >= MUST_PASS
    service.start()
    assert tested.problems() == []
    attempts = Counter(
        (one.headers["svc-delivery-id"], one.headers["svc-attempt"]) for one in tested.receiver.deliveries
    )
    assert set(attempts.values()) == {1}
