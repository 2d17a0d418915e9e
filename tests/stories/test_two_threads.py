"""The same with real threads and real commits: two workers at once, beside what people and chains do."""

import os
from collections.abc import Iterator
from functools import partial
from random import Random

import pytest
import time_machine

from payments.services import advance as payments
from payouts.services import sweep_due as sweep_payouts
from refunds.services import advance as refunds
from refunds.services.late import send_late_money_back
from tests.races.lineup import Act, at_once
from tests.stories import shopkeepers, workers
from tests.stories.judge import faults_after_a_step, faults_at_the_end
from tests.stories.openings import OPENINGS
from tests.stories.stage import Story, open_story, set_prices, staged
from tests.stories.telling import chosen
from tokens.services import load_bundled_tokens

FEW, STORIES = 2, int(os.environ.get("THREADED_STORIES", "8"))
SEEDS = [pytest.param(n, marks=[pytest.mark.exhaustive] if n > FEW else []) for n in range(1, STORIES + 1)]
ROUNDS = 8
SWEEPS = (payments.sweep_due, refunds.sweep_due, sweep_payouts, send_late_money_back)


@pytest.fixture
def clock(transactional_db: None) -> Iterator[time_machine.Traveller]:
    """The stage, with tokens and prices. Why loaded: a test with real commits empties every table."""
    load_bundled_tokens()
    with staged() as stopped:
        set_prices()
        yield stopped


@pytest.mark.postgres
@pytest.mark.parametrize("seed", SEEDS)
def test_two_workers_at_once(seed: int, clock: time_machine.Traveller) -> None:
    story = open_story(seed, clock)
    shopkeepers.set_up(story)
    OPENINGS[seed % len(OPENINGS)][1](story)
    for number in range(ROUNDS):
        story.pass_time(31)
        step = chosen(story)
        at_once([partial(step, story), _worker(story, number, 1), _worker(story, number, 2)])
        assert not faults_after_a_step(story), "\n".join([*story.told, *faults_after_a_step(story)])
    workers.finish(story)
    found = [*faults_after_a_step(story), *faults_at_the_end(story)]
    assert not found, "\n".join([*story.told, *found])


def _worker(story: Story, number: int, who: int) -> Act:
    order = Random(f"{story.seed}|{number}|{who}").sample(SWEEPS, len(SWEEPS))  # noqa: S311 - told again

    def work() -> None:
        for sweep in order:
            sweep()

    return work
