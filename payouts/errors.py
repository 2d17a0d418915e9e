"""Refusals about payouts, each with its stable code."""

from core.errors import Conflict
from payouts.states import PAYOUT_MACHINE


class PayoutNotPossible(Conflict):
    """The intent is settled, and still there is no honest way to pay it out; ``details.reason`` names why.

    Source: rulings, Money out 1 (every other combination is refused).
    """

    code = "payout_not_possible"
    REASONS = {
        "destination_missing": "Say on the dashboard where this chain's money goes; it settled with your own signer.",
        "chain_unsupported": "Live payouts are not possible on this chain.",
        "settlement_missing": "No final settlement of this intent is on record.",
        "nothing_left": "Everything that this intent brought was refunded.",
    }

    def __init__(self, reason: str) -> None:
        super().__init__(self.REASONS[reason], details={"reason": reason})


class PayoutNotReplayable(Conflict):
    """Only a failed payout is sent again, and only when nothing sent for it before can still land."""

    code = "payout_not_replayable"

    def __init__(self, status: str, reason: str = "") -> None:
        sentence = f"A payout that is {status} cannot be replayed."
        if reason:
            sentence = "A transaction of this payout may still land. Replay it when that is known."
        details = {"status": status, "replayable_from": PAYOUT_MACHINE.sources_of("replay")}
        super().__init__(sentence, details=details | ({"reason": reason} if reason else {}))


class PayoutNotResumable(Conflict):
    """The payout is not paused, or the merchant's pause still holds all of them."""

    code = "payout_not_resumable"

    def __init__(self, status: str, reason: str = "") -> None:
        super().__init__(
            "Lift the pause of all payouts first." if reason else f"A payout that is {status} cannot be resumed.",
            details={"status": status} | ({"reason": reason} if reason else {}),
        )


class PayoutNotCancellable(Conflict):
    """The payout is not held for a person to decide about it, or what was signed for it may land."""

    code = "payout_not_cancellable"

    def __init__(self, status: str) -> None:
        super().__init__(f"A payout that is {status} and not held cannot be cancelled.", details={"status": status})
