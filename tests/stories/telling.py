"""Telling a story by its number: chance chooses the steps, the judge looks after each of them."""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import time_machine
from django.db import transaction

from payments.routing.record import forget_outcomes
from payments.services.settlement import forget_assets
from tests.stories import payers, shopkeepers, workers
from tests.stories.judge import faults_after_a_step, faults_at_the_end, reached
from tests.stories.openings import OPENINGS
from tests.stories.stage import Died, Listener, Story, open_story

Step = Callable[[Story], None]
SHORTEST, LONGEST = 6, 16

WEIGHTS: Sequence[tuple[int, Step]] = (
    (2, payers.open_payment),
    (5, payers.begin_attempt),
    (8, payers.pay),
    (2, payers.pay_unmarked),
    (3, payers.relay),
    (3, payers.report),
    (3, payers.claim),
    (2, payers.decline),
    (9, shopkeepers.refund),
    (2, shopkeepers.address_refund),
    (1, shopkeepers.cancel_refund),
    (2, shopkeepers.cancel_payment),
    (6, shopkeepers.pay_out),
    (2, shopkeepers.steer_payouts),
    (1, shopkeepers.move_settlement),
    (2, shopkeepers.ask_agent),
    (2, shopkeepers.approve_request),
    (1, shopkeepers.remove_colleague),
    (12, workers.work_round),
    (6, workers.work_payments),
    (5, workers.work_refunds),
    (5, workers.work_payouts),
    (2, workers.work_late),
    (8, workers.mine),
    (4, workers.reorganise),
    (1, workers.lose_pending),
    (2, workers.wait),
)


QUIET = frozenset({workers.mine, workers.wait, workers.lose_pending, payers.relay, payers.pay_unmarked})
"""Nothing is written and nothing goes: the judge would say what it said."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """A story and what was wrong in it; ``step`` is the one after which it was seen."""

    seed: int
    faults: tuple[str, ...]
    lines: tuple[str, ...]
    step: int
    reached: Counter[str]

    def __str__(self) -> str:
        return "\n".join(
            [f"story {self.seed}, step {self.step}:", *self.lines, *(f"  !! {one}" for one in self.faults)]
        )


def tell(seed: int, clock: time_machine.Traveller, opening: Step | None = None) -> Told:
    """One story, from its seed alone, or with a given opening. Nothing of it stays in the database."""
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined]  # noqa: SLF001 - commits inside may be durable
    forget_assets()
    forget_outcomes()
    with block:
        try:
            return _told(open_story(seed, clock), opening)
        finally:
            transaction.set_rollback(True)  # noqa: FBT003 - as Django has it


def _told(story: Story, opening: Step | None) -> Told:
    listener = Listener(story)
    logging.getLogger("causeway").addHandler(listener)
    try:
        shopkeepers.set_up(story)
        begin = _one_of(story, OPENINGS) if opening is None else opening
        begin(story)
        story.meanwhile = workers.interleaving(story, lambda: chosen(story))
        length = story.rng.randint(SHORTEST, LONGEST)
        for number in range(length):
            step = chosen(story)
            _take(story, step)
            if step in QUIET:
                continue
            if faults := faults_after_a_step(story):
                return _as_told(story, faults, number)
        workers.finish(story)
        return _as_told(story, [*faults_after_a_step(story), *faults_at_the_end(story)], length)
    finally:
        logging.getLogger("causeway").removeHandler(listener)


def _take(story: Story, step: Step) -> None:
    try:
        step(story)
    except Died:
        story.tell("whoever did this dies")


def chosen(story: Story) -> Step:
    return _one_of(story, WEIGHTS)


def _one_of(story: Story, weighed: Sequence[tuple[int, Step]]) -> Step:
    [step] = story.rng.choices([step for _, step in weighed], [weight for weight, _ in weighed])
    return step


def _as_told(story: Story, faults: Sequence[str], step: int) -> Told:
    return Told(seed=story.seed, faults=tuple(faults), lines=tuple(story.told), step=step, reached=reached(story))
