"""What the dashboard says of a refund: its status, why it waits, and what to do about what a wallet did."""

from typing import NamedTuple

from chains.wallets import Stage
from refunds.models import Refund
from refunds.states import MISSING_DESTINATION, R


class Words(NamedTuple):
    """What happened, and what to do."""

    title: str
    next: str


STATUS = {
    R.WAITING: ("Needs an address", "warn"),
    R.QUEUED: ("Queued", ""),
    R.PROCESSING: ("Under way", ""),
    R.RETRY_SCHEDULED: ("Will be tried again", "warn"),
    R.PAID: ("Paid", "ok"),
    R.FAILED: ("Failed", "bad"),
    R.CANCELLED: ("Cancelled", ""),
}
AWAITS_WALLET = ("Sign it in your wallet", "warn")

STAGES = {
    Stage.CONNECT: Words("Send it from your wallet", "Connect the wallet that holds the money."),
    Stage.PREPARING: Words("Preparing", "The transaction is being made. This takes a few seconds."),
    Stage.AUTHORIZE: Words("Sign the authorization", "Your wallet asks twice: to authorize this, then to send."),
    Stage.SIGN: Words("Send it", "Compare address and amount with what your wallet shows, then confirm there."),
    Stage.LOOKING: Words("Looking for it on the chain", "You may close this page: we go on looking."),
    Stage.CONFIRMING: Words("Sent. Waiting until it is final", "You may close this page: it turns paid by itself."),
    Stage.PAID: Words("Paid", "The chain shows the right transaction. Your payer has the money."),
    Stage.OVER: Words("This attempt is over", "Nothing was sent. Look at the refund for what comes next."),
}

_OTHER = "Press send again and confirm exactly what is shown. What moved elsewhere only its receiver can return."
REFUSED = {
    "another_transaction": Words("That transaction is not this refund.", _OTHER),
    "another_sender": Words(
        "That transaction came from another wallet.",
        "Only the wallet that you connected here can send this refund. Send it from that one.",
    ),
    "wrong_amount": Words(
        "Your wallet sent another amount.",
        "It does not count as this refund, but it did move. Do not send again: settle the difference with your payer "
        "yourself, then cancel this refund.",
    ),
    "too_old": Words("That transaction is older than this refund's.", "Press send again and confirm what is shown."),
    "reverted": Words(
        "Your transaction failed on the chain. Nothing moved.",
        "See that the wallet holds enough of the token and of the coin for fees, then send again.",
    ),
    "not_found": Words(
        "The transaction that your wallet told is nowhere to be seen.",
        "Look into your wallet. If it shows nothing under way, send again.",
    ),
    "already_used": Words("That transaction already stands for another refund.", "Ask support to look at it."),
    "expired": Words("It was not signed in time, and can no longer be used.", "Connect your wallet to start again."),
    "insufficient_funds": Words(
        "This wallet does not hold enough of the token.", "Fill it, or connect the wallet that holds the money."
    ),
    "would_fail": Words(
        "The chain would refuse this transfer from this wallet.",
        "See that it holds enough of the token, and SOL for fees, then connect it again.",
    ),
    "chain_unavailable": Words("The chain cannot be reached right now.", "Nothing is lost: we go on trying."),
}

_FAILURES = {
    MISSING_DESTINATION: "No address to send to is known.",
    "awaiting_wallet": "Your wallet is awaited.",
    "chain_unavailable": "The chain could not be reached.",
    "insufficient_funds": "The account did not hold enough of the token.",
    "insufficient_gas": "The account did not hold enough for fees.",
    "withdrawn": "It was withdrawn before anything was signed.",
}


def failure_words(refund: Refund) -> str:
    """Why it waits or failed, in a sentence; empty where nothing is wrong."""
    reason = refund.failure_reason
    return _FAILURES.get(reason, reason.replace("_", " ").capitalize() + ".") if reason else ""
