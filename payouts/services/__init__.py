"""Every write of payouts: creating, replaying, sending, and what a merchant wants done by itself."""

from payouts.services.advance import sweep_due
from payouts.services.create import CreatedPayout, create_payout
from payouts.services.dispatch import hold_back
from payouts.services.moved import hold_all_moved, readdress_payout, release_payout
from payouts.services.plan import PURPOSE, rest_of
from payouts.services.policy import (
    cancel_held_payout,
    pause_payouts,
    resume_payout,
    resume_payouts,
    set_payout_at_settle,
)
from payouts.services.replay import replay_payout
from payouts.services.world import shift_due

__all__ = [
    "PURPOSE",
    "CreatedPayout",
    "cancel_held_payout",
    "create_payout",
    "hold_all_moved",
    "hold_back",
    "pause_payouts",
    "readdress_payout",
    "release_payout",
    "replay_payout",
    "rest_of",
    "resume_payout",
    "resume_payouts",
    "set_payout_at_settle",
    "shift_due",
    "sweep_due",
]
