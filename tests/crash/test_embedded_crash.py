"""``kill -9`` of the embedded default at any moment of a paid intent, then start it again. SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash import ordeal
from tests.crash.ordeal import Ordeal
from tests.journeys.programs import Embedded, embedded
from tests.journeys.recipe import receiving
from tests.machine import own_port

pytestmark = pytest.mark.embedded


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[tuple[Embedded, Ordeal]]:
    armed = ordeal.armed_environment(tmp_path)
    with receiving() as receiver, embedded(tmp_path, own_port(), **armed) as service:
        yield service, ordeal.begin(service, service.merchant(), receiver, tmp_path)


def test_a_death_and_a_whole_start_at_named_points_lose_nothing(trial: tuple[Embedded, Ordeal]) -> None:
    """A process dies with a settled payment and with a webhook in its hands; then the whole is killed and started."""
    service, tested = trial
    points = [point for point in tested.points() if "payment_intent.settled" in point or "sending a webhook" in point]
    assert ordeal.kinds_of(points) == {"record_sightings (payment_intent.settled)", "sending a webhook"}
    with tested.load(0.2):
        for point in points:
            assert tested.die_at(point)
            service.start_over()
    assert tested.problems() == []


@pytest.mark.exhaustive
def test_a_kill_at_every_commit_and_send_and_at_any_moment_loses_nothing(trial: tuple[Embedded, Ordeal]) -> None:
    """Between the points the whole is killed."""
    service, tested = trial
    tested.kill_everywhere(lambda _: service.start_over())
    assert tested.problems() == []
