"""What holds a transfer up while nothing was sent for it, and what ends one unpaid."""

from enum import StrEnum


class Blocker(StrEnum):
    """Why a transfer of which nothing was sent cannot go on now."""

    CHAIN_UNAVAILABLE = "chain_unavailable"
    INSUFFICIENT_FUNDS = "insufficient_funds"
    INSUFFICIENT_GAS = "insufficient_gas"
    SIGNER_UNAVAILABLE = "signer_unavailable"
    SIGNER_BUSY = "signer_busy"
    SIGNER_PAUSED = "signer_paused"
    SIGNING_PAUSED = "signing_paused"
    FEE_ABOVE_CAP = "fee_above_cap"
    DAY_CAP_REACHED = "day_cap_reached"
    PRICE_MISSING = "price_missing"
    AWAITING_WALLET = "awaiting_wallet"
    MAYBE_PAID_BEFORE = "maybe_paid_before"


PATIENT = frozenset(
    {
        Blocker.SIGNER_BUSY,
        Blocker.SIGNER_PAUSED,
        Blocker.SIGNING_PAUSED,
        Blocker.FEE_ABOVE_CAP,
        Blocker.DAY_CAP_REACHED,
        Blocker.PRICE_MISSING,
        Blocker.AWAITING_WALLET,
        Blocker.MAYBE_PAID_BEFORE,
    }
)
"""These pass by themselves or when a person acts: they cost no attempt."""


class Failure(StrEnum):
    """Why a transfer ended unpaid. Source: docs/money-out.md, What holds it up, and what to do."""

    INVALID_DESTINATION = "invalid_destination"
    DESTINATION_BLOCKED = "destination_blocked"
    CHAIN_REJECTED = "chain_rejected"
    CAP_EXCEEDED = "cap_exceeded"
    WITHDRAWN = "withdrawn"


class Blocked(Exception):
    """Nothing was sent and nothing can be now; asking again later may work."""

    def __init__(self, reason: Blocker) -> None:
        self.reason = reason
        super().__init__(reason.value)


class Rejected(Exception):
    """Nothing was sent, and sending this transfer again cannot help."""

    def __init__(self, reason: Failure) -> None:
        self.reason = reason
        super().__init__(reason.value)
