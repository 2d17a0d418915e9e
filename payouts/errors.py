"""Refusals about payouts, each with its stable code."""

from collections.abc import Mapping

from core.errors import Conflict
from payouts.states import PAYOUT_MACHINE


class PayoutNotPossible(Conflict):
    """The intent is settled, and still there is no honest way to pay it out; ``details.reason`` names why.

    Source: docs/guides/payouts.md, Which rail.
    """

    code = "payout_not_possible"
    REASONS = {
        "destination_missing": "Say on the dashboard where this chain's money goes; it settled with your own signer.",
        "chain_unsupported": "Live payouts are not possible on this chain.",
        "settlement_missing": "No final settlement of this intent is on record.",
        "already_there": "Your settings name the signing account itself, where the money is already.",
        "nothing_left": "Nothing of what this intent brought is left: refunds and payouts have it all.",
    }

    def __init__(self, reason: str) -> None:
        super().__init__(self.REASONS[reason], details={"reason": reason})


class PayoutNotReplayable(Conflict):
    """Only a failed payout is sent again, and only when nothing sent for it before can still land."""

    code = "payout_not_replayable"
    REASONS = {
        "outcome_unknown": "A transaction of this payout may still land. Replay it when that is known.",
        "balance_changed": "Refunds or another payout took a part of what it would send. Pay out the rest instead.",
    }

    def __init__(self, status: str, reason: str = "") -> None:
        sentence = self.REASONS.get(reason, f"A payout that is {status} cannot be replayed.")
        details = {"status": status, "replayable_from": PAYOUT_MACHINE.sources_of("replay")}
        super().__init__(sentence, details=details | ({"reason": reason} if reason else {}))


class PayoutNotResumable(Conflict):
    """The payout is not paused, the merchant's pause still holds all of them, or it waits for another word."""

    code = "payout_not_resumable"
    SENTENCES: Mapping[str, str] = {
        "merchant_paused": "Lift the pause of all payouts first.",
        "destination_changed": "Its address is not yours any more. Say whether it goes there or to the present one.",
        "outcome_unknown": "A transaction of this payout may still land. Wait until that is known.",
    }

    def __init__(self, status: str, reason: str = "") -> None:
        super().__init__(
            self.SENTENCES.get(reason) or f"A payout that is {status} cannot be resumed.",
            details={"status": status} | ({"reason": reason} if reason else {}),
        )


class PayoutDestinationOutdated(Conflict):
    """The address that a person read is not the one that it would go to by now."""

    code = "payout_destination_outdated"
    message = "The address is another one by now. Nothing was sent; look at it again."


class PayoutNotCancellable(Conflict):
    """The payout is not held for a person to decide about it, or what was signed for it may land."""

    code = "payout_not_cancellable"

    def __init__(self, status: str) -> None:
        super().__init__(f"A payout that is {status} and not held cannot be cancelled.", details={"status": status})
