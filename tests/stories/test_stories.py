"""Random stories hold: whatever payers, strangers, merchants, workers and chains do, money goes to whom it belongs.

And they find what they are for: each fault that is planted into the service shows within a few of them.
"""

import os

import pytest
import time_machine

from tests.stories import openings
from tests.stories.faults import PLANTS, planted
from tests.stories.telling import Step, tell

STORIES, FIRST = int(os.environ.get("STORIES", "20")), int(os.environ.get("STORIES_SEED", "1"))
MORE, AT_ONCE = 280, 20
LAST = FIRST + STORIES + MORE
FIRST_ONES = [
    pytest.param(first, marks=[pytest.mark.exhaustive] if first >= FIRST + STORIES else [])
    for first in range(FIRST, LAST, AT_ONCE)
]
MOST = 40
BEGINNINGS: dict[str, tuple[Step, str]] = {
    "payouts_do_not_count": (openings.one_pays, "is sent or promised"),
    "what_went_back_still_settles": (openings.sent_back_and_topped_up, "is settled over"),
    "back_to_who_paid_last": (openings.two_share, "back by itself"),
    "a_claim_takes_anything": (openings.over_a_bridge, "was meant for"),
    "half_an_entry_is_booked": (openings.one_pays, "does not balance"),
    "what_a_reorganisation_takes_stays_booked": (openings.one_pays, "is booked as"),
    "payouts_do_not_wait": (openings.one_pays, "came for good"),
    "refunds_do_not_see_payouts": (openings.paid_again_after_the_payout, "came for good"),
}
"""By fault: how stories begin that come to it soon, and what the judge then says."""
SOONEST = ("payouts_do_not_wait", "half_an_entry_is_booked")
FAULTS = [pytest.param(name, marks=[] if name in SOONEST else [pytest.mark.exhaustive]) for name in PLANTS]


@pytest.mark.parametrize("first", FIRST_ONES)
def test_stories_hold(first: int, clock: time_machine.Traveller) -> None:
    for seed in range(first, min(first + AT_ONCE, LAST)):
        told = tell(seed, clock)
        assert not told.faults, str(told)


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str, clock: time_machine.Traveller) -> None:
    opening, says = BEGINNINGS[name]
    with planted(name):
        found = (tell(seed, clock, opening).faults for seed in range(1, MOST + 1))
        assert any(says in fault for faults in found for fault in faults)
