"""``kill -9`` in the production form: two workers, the web server and the clock, on PostgreSQL and Redis."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash import ordeal
from tests.crash.ordeal import Ordeal
from tests.journeys.production import Production, production
from tests.journeys.recipe import receiving
from tests.machine import own_port

pytestmark = [pytest.mark.postgres, pytest.mark.exhaustive]


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[tuple[Production, Ordeal]]:
    with receiving() as receiver, production(tmp_path, own_port(), **ordeal.armed_environment(tmp_path)) as service:
        yield service, ordeal.begin(service, service.merchant(), receiver, tmp_path, creates="first_row")


def test_a_kill_at_every_commit_and_send_and_at_any_moment_loses_nothing(trial: tuple[Production, Ordeal]) -> None:
    """Between the points one of the processes is killed, and whatever is dead is started again."""
    service, tested = trial
    killed = Counter[str]()

    def kill(chance: random.Random) -> None:
        victim = chance.choice(sorted(service.programs))
        chance.choice([service.programs[victim].kill, service.programs[victim].kill_with_children])()
        killed[victim] += 1

    tested.kill_everywhere(kill)
    assert len(killed) == len(service.programs)
    service.start()
    assert tested.problems() == []
    sent = Counter((one.headers["svc-delivery-id"], one.headers["svc-attempt"]) for one in tested.receiver.deliveries)
    assert set(sent.values()) == {1}
