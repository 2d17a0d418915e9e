"""``kill -9`` of the embedded default at any moment of a paid intent, then start it again. SQLite."""

import os
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.crash import ordeal
from tests.crash.ordeal import MUST_PASS, Ordeal
from tests.journeys.programs import Embedded, embedded
from tests.journeys.recipe import receiving
from tests.machine import own_port, pause, wait_until

pytestmark = pytest.mark.embedded

KILLS = int(os.environ.get("CRASH_KILLS", "12"))
"""How often the whole is killed at a random moment, besides the deaths of one process at each point."""
SEED = int(os.environ.get("CRASH_SEED", "20261120"))
LONGEST_WAIT_SECONDS = 1.0


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
    """One process dies at each point; between the points the whole is killed at a moment that chance chose."""
    service, tested = trial
    chance = random.Random(SEED)  # noqa: S311 - no secret, only a choice that can be repeated
    points, reached, kills = tested.points(), set(), 0
    with tested.load(0.2):
        for number, point in enumerate(points, start=1):
            reached |= {point} if tested.die_at(point) else set()
            while kills < KILLS * number // len(points):
                pause(chance.uniform(0.0, LONGEST_WAIT_SECONDS))
                service.start_over()
                kills += 1
    assert kills == KILLS
    assert ordeal.kinds_of(reached) >= MUST_PASS
    assert tested.problems() == []


@pytest.mark.exhaustive
def test_a_naive_dispatcher_is_found_out(tmp_path: Path) -> None:
    """The positive control: writing down before sending loses, sending before writing down doubles."""
    (tmp_path / "naive").touch()
    armed = ordeal.armed_environment(tmp_path)
    with receiving() as receiver, embedded(tmp_path, own_port(), **armed) as service:
        tested = ordeal.begin(service, service.merchant(), receiver, tmp_path)
        wait_until(partial(tested.is_told, tested.pay_one()), "a payment told where nothing dies")
        with tested.load(0.2):
            assert tested.die_at("after drain (delivery)")
            assert tested.die_at("after act_as_payer (simulatedtransaction)")
        problems = tested.problems(looks=50)
    assert [problem for problem in problems if "was told only" in problem] != []
    assert [problem for problem in problems if problem.startswith("I2 leg")] != []
