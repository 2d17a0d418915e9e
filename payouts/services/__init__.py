"""Every write of payouts: creating, replaying, sending, and what a merchant wants done by itself."""

from payouts.services.advance import sweep_due, take_over_leases
from payouts.services.create import CreatedPayout, create_payout
from payouts.services.dispatch import hold_back
from payouts.services.plan import PURPOSE
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
    "hold_back",
    "pause_payouts",
    "replay_payout",
    "resume_payout",
    "resume_payouts",
    "set_payout_at_settle",
    "shift_due",
    "sweep_due",
    "take_over_leases",
]
