"""What the dashboard says of a payout: its status, where the money is, why it waits or failed, and what to do now."""

from collections.abc import Callable
from typing import Final, NamedTuple

from chains.transfers import Blocker, Failure, RailName
from core.modes import Mode
from merchants.admission import HoldReason
from merchants.errors import MERCHANT_SUSPENDED
from payouts.models import Payout
from payouts.services.moved import RELEASED, REPLACED
from payouts.states import CANCELLED, DESTINATION_CHANGED, MERCHANT_PAUSED
from payouts.states import PayoutStatus as P


class Label(NamedTuple):
    """A short word and its tone."""

    word: str
    tone: str


class Words(NamedTuple):
    """What is so, and what to do."""

    what: str
    next: str


STATUS: Final = {
    P.QUEUED: Label("Queued", ""),
    P.PENDING: Label("Being prepared", ""),
    P.PROCESSING: Label("Being sent", ""),
    P.PENDING_PROVIDER: Label("On its way", ""),
    P.RETRY_SCHEDULED: Label("Will be tried again", "warn"),
    P.PAID: Label("Paid", "ok"),
    P.FAILED: Label("Failed", "bad"),
    P.PAUSED: Label("Paused", "warn"),
}

_GOES_ON: Final = "Nothing: it is sent within seconds."
_ASK_OPERATOR: Final = "Ask the operator of this service to look at the signing account, then replay."
REASONS: Final = {
    Blocker.CHAIN_UNAVAILABLE: Words("The chain could not be reached.", "Nothing: it is tried again by itself."),
    Blocker.INSUFFICIENT_FUNDS: Words(
        "The account it comes from does not hold enough of the token.", "Fill the account. It is tried again by itself."
    ),
    Blocker.INSUFFICIENT_GAS: Words(
        "The account it comes from cannot pay the chain's fee.",
        "Send it some of the chain's own coin. It is tried again by itself.",
    ),
    Blocker.SIGNER_UNAVAILABLE: Words(
        "The key that signs could not be reached.", "Nothing: it is tried again by itself."
    ),
    Blocker.SIGNER_BUSY: Words("The account is sending something else first.", "Nothing: it is next."),
    Blocker.SIGNER_PAUSED: Words(
        "The account it comes from is paused.", "It goes on by itself when the operator lets the account sign again."
    ),
    Blocker.SIGNING_PAUSED: Words(
        "The operator of this service has paused everything that is sent.",
        "Nothing: it goes on by itself when the operator lets it.",
    ),
    Blocker.FEE_ABOVE_CAP: Words(
        "The chain's fee is above what you allow.", "Nothing: it goes on when the fee has come down."
    ),
    Blocker.DAY_CAP_REACHED: Words(
        "The account has sent all that it may in 24 hours.", "Nothing: it goes on when the day has passed."
    ),
    Blocker.PRICE_MISSING: Words(
        "Nobody knows what the coin is worth now, so its limits cannot be held.", "Nothing: it goes on with a price."
    ),
    Blocker.AWAITING_WALLET: Words("A wallet is awaited.", "Sign it with the wallet that holds the money."),
    Blocker.MAYBE_PAID_BEFORE: Words(
        "The account sent as much to the same address before, and it may have been this.",
        "Nothing: the operator of this service looks at it. Nothing is sent until then.",
    ),
    Failure.INVALID_DESTINATION: Words(
        "The address cannot take this token.", "Correct the settlement address, then replay."
    ),
    Failure.DESTINATION_BLOCKED: Words(
        "The token's issuer blocks the address.", "Choose another settlement address, then replay."
    ),
    Failure.CHAIN_REJECTED: Words("The chain refused it. Nothing moved.", "Replay it. If it fails again, ask us."),
    Failure.CAP_EXCEEDED: Words("It is more than the account may send at once.", _ASK_OPERATOR),
    Failure.WITHDRAWN: Words("It was withdrawn before anything was sent.", "Replay it if it shall be sent."),
    HoldReason.AGENT_REVOKED: Words(
        "The agent that ordered it may act for you no more.", "Decide: resume sends it, cancel ends it."
    ),
    HoldReason.AGENTS_PAUSED: Words(
        "Agents are paused, and an agent ordered it.", "It goes on when they act again, or if you resume it."
    ),
    HoldReason.AGENT_OVER_LIMIT: Words(
        "It is above what the agent that ordered it may send by now.", "Resume it, cancel it, or raise the limit."
    ),
    MERCHANT_SUSPENDED: Words(
        "The operator of this service has suspended you.",
        "Ask the operator. It goes on by itself when the suspension ends.",
    ),
    MERCHANT_PAUSED: Words("You paused all payouts.", "Lift the pause when they shall go on."),
    DESTINATION_CHANGED: Words(
        "The address that it was to go to is no longer the one in your settings.",
        "Decide: send it to the present address, or to the old one after all.",
    ),
    RELEASED: Words("Somebody on your team let it go to the old address.", _GOES_ON),
    REPLACED: Words("Somebody on your team sent it to the present address instead.", _GOES_ON),
    CANCELLED: Words("Somebody on your team ended it.", "Replay it if it shall be sent after all."),
    "signer_missing": Words("The account it would come from was removed.", _ASK_OPERATOR),
    "settlement_reversed": Words(
        "The chain took back the payment that it pays out.", "Nothing: it goes on when the payment is there again."
    ),
    "balance_changed": Words(
        "A part of what it would send was taken back by the chain, or belongs to somebody else.",
        "Pay out the rest, or replay it when the payment is there again.",
    ),
    "intent_not_settled": Words("The payment it pays out was refunded.", "Nothing: there is nothing left to pay out."),
}
"""Every reason that payouts and their transfers can give."""

RAILS: Final[dict[str, str]] = {
    RailName.DIRECT: "nobody: the payment itself ended at your address",
    RailName.EVM: "your own signing account",
    RailName.SOLANA: "your own signing account",
    RailName.MERCHANT_WALLET: "your own wallet",
    RailName.SIMULATED: "the simulated account of test mode",
}
_SOURCE = {Mode.TEST: "the simulated account", Mode.LIVE: "your own signing account"}
_WHERE: Final[dict[P, Callable[[str, str], str]]] = {
    P.QUEUED: lambda source, chain: f"The money is with {source}. A worker takes it up within seconds.",
    P.PENDING: lambda source, chain: f"The money is with {source}. A worker is taking it up.",
    P.PROCESSING: lambda source, chain: f"The money leaves {source}: it is being checked and signed.",
    P.PENDING_PROVIDER: lambda source, chain: f"The money is on its way. {chain} has not decided yet.",
    P.RETRY_SCHEDULED: lambda source, chain: f"The money is still with {source}. Nothing was sent.",
    P.PAID: lambda source, chain: f"The money is at your address on {chain}.",
    P.FAILED: lambda source, chain: f"The money is still with {source}. Nothing was paid out.",
    P.PAUSED: lambda source, chain: f"The money is still with {source}. Nothing was sent.",
}


def where_words(payout: Payout, chain_name: str) -> str:
    """Where the money is, in a sentence."""
    if payout.rail == RailName.DIRECT:
        return f"The money is at your address on {chain_name}. The payment itself ended there: nothing had to be sent."
    return _WHERE[P(payout.status)](_SOURCE[Mode(payout.mode)], chain_name)


def reason_words(reason: str) -> Words:
    """Why it is not paid, and what to do; empty where nothing is wrong."""
    if not reason:
        return Words("", "")
    return REASONS.get(reason) or Words(f"{reason.replace('_', ' ').capitalize()}.", "")


def why_words(reason: str) -> str:
    """A reason of a history in a sentence."""
    return reason_words(reason).what
