"""What the dashboard says of a refund: its status, why it waits, and what to do about what a wallet did."""

from typing import Final, NamedTuple

from chains.addresses import parse_address
from chains.errors import InvalidAddress
from chains.registry import CHAINS, Family, chain
from chains.transfers import Blocker, Failure
from chains.wallets import Stage
from core.money import to_decimal_string
from merchants.admission import HoldReason
from merchants.errors import MERCHANT_SUSPENDED
from payments.models import PaymentIntent
from payments.services.refund import is_refundable
from payments.states import IntentStatus
from refunds.errors import DestinationInvalid, SharesExceedBalance
from refunds.models import Refund
from refunds.states import DESTINATION_UNCONFIRMED, MISSING_DESTINATION, PAYER_NOT_PROVEN, STRAY_CHANGED, R


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
    "signature_not_taken": Words(
        "The token does not take what this wallet signed.",
        "Sign again, or wait: for at most half an hour nothing else may be sent. Then connect it once more.",
    ),
    "chain_unavailable": Words("The chain cannot be reached right now.", "Nothing is lost: we go on trying."),
}

_AGAIN: Final = "Create it again when that is put right: what it held is free."
REASONS: Final[dict[str, Words]] = {
    MISSING_DESTINATION: Words(
        "Nobody has said where it goes.", "Ask the payer, or enter the address that the payer gave you."
    ),
    PAYER_NOT_PROVEN: Words(
        "The wallet that it would go to is not proven to have paid as much.",
        "If it stays so, cancel it and make a new one to an address that the payer gave you.",
    ),
    STRAY_CHANGED: Words(
        "What it gives back is gone from its chain, or is another amount by now.",
        "If it stays so, cancel it. Look at the payment for what came with it, and give that back.",
    ),
    Blocker.AWAITING_WALLET: Words("Your wallet is awaited.", "Send it from the wallet that holds the money."),
    Blocker.CHAIN_UNAVAILABLE: Words("The chain could not be reached.", "Nothing: it is tried again by itself."),
    Blocker.INSUFFICIENT_FUNDS: Words(
        "The account did not hold enough of the token.", "Fill your signing account. It is tried again by itself."
    ),
    Blocker.INSUFFICIENT_GAS: Words(
        "The account did not hold enough for fees.", "Send it some of the chain’s own coin. It is tried by itself."
    ),
    Blocker.SIGNER_UNAVAILABLE: Words("The key that signs could not be reached.", "Nothing: it is tried again."),
    Blocker.SIGNER_BUSY: Words("The account sends something else first.", "Nothing: it is next."),
    Blocker.SIGNER_PAUSED: Words("The signing account is paused.", "It goes on when the operator lets it sign again."),
    Blocker.SIGNING_PAUSED: Words(
        "The operator of this service has paused everything that is sent.",
        "Nothing: it goes on by itself when the operator lets it. You can still cancel it.",
    ),
    Blocker.FEE_ABOVE_CAP: Words("The chain’s fee is above your limit.", "Nothing: it goes on when the fee falls."),
    Blocker.DAY_CAP_REACHED: Words(
        "The account has sent all that it may in 24 hours.", "Nothing: it goes on when the day has passed."
    ),
    Blocker.MAYBE_PAID_BEFORE: Words(
        "The account sent as much to the same address before, and it may have been this.",
        "Nothing: the operator of this service looks at it. Nothing is sent until then.",
    ),
    Blocker.PRICE_MISSING: Words(
        "Nobody knows what the coin is worth now, so its limits cannot be held.", "Nothing: it goes on with a price."
    ),
    Failure.INVALID_DESTINATION: Words(
        "The address cannot take this token.", "Ask the payer for another address, and create the refund again."
    ),
    Failure.DESTINATION_BLOCKED: Words(
        "The token’s issuer blocks the address.", "Ask the payer for another address, and create the refund again."
    ),
    Failure.CHAIN_REJECTED: Words("The chain refused it. Nothing moved.", _AGAIN),
    Failure.CAP_EXCEEDED: Words(
        "It is more than the signing account may send at once.", "Refund it in parts, or ask the operator to raise it."
    ),
    Failure.WITHDRAWN: Words("It was withdrawn before anything was signed.", _AGAIN),
    MERCHANT_SUSPENDED: Words(
        "The operator of this service has suspended you, and this goes elsewhere than to who paid.",
        "Ask the operator. It goes on by itself when the suspension ends.",
    ),
    DESTINATION_UNCONFIRMED: Words(
        "A key named an address that did not pay, and no money ever went there by a person’s word.",
        "Compare it with what your payer told you. Then let it go, or cancel it.",
    ),
    HoldReason.AGENT_REVOKED: Words(
        "The agent that made it may act for you no more.", "Decide under Approvals: let it go, or end it."
    ),
    HoldReason.AGENTS_PAUSED: Words("Agents are paused, and an agent made it.", "It goes on when they act again."),
    HoldReason.AGENT_OVER_LIMIT: Words(
        "It is above what the agent that made it may send by now.", "Let it go under Approvals, or raise the limit."
    ),
}
"""Every reason why a refund waits or ended unpaid, and what to do."""
_WHY: Final = {
    "stated_unsigned": "Stated that nothing was signed",
    "expired": "It could no longer be used",
    "found": "It was found on the chain after all",
    "reorganised": "Its block is gone",
    "claimed": "Signed for by the wallet that paid",
    "to the paying wallet": "By your refund policy",
    "to who sent the stray": "To the wallet that sent it",
}


def reason_words(reason: str) -> Words:
    """Why it waits or failed, and what to do; empty where nothing is wrong."""
    if not reason:
        return Words("", "")
    return REASONS.get(reason) or Words(f"{reason.replace('_', ' ').capitalize()}.", "")


def why_words(reason: str) -> str:
    """A reason of a history in a sentence."""
    return _WHY.get(reason) or reason_words(reason).title


UNCONFIRMED: Final = (
    "This is the wallet that paid. Tick that the payer called it its own: an exchange’s wallet is not the payer’s. "
    "Nothing was sent."
)


def destination_fault(refund: Refund, text: str, refusal: DestinationInvalid) -> str:
    """What is wrong with an address that somebody typed for a refund."""
    known = chain(refund.chain)
    if known is None:
        return refusal.message
    if text.isascii() and text.endswith((".eth", ".sol")):
        return f"Names are not looked up. Ask the payer for the address itself, on {known.display_name}."
    other = Family.SOLANA if known.family is Family.EVM else Family.EVM
    if _reads_as(other, text):
        kind = "Solana" if other is Family.SOLANA else "Ethereum and chains like it"
        return f"This is an address of {kind}, and the refund goes out on {known.display_name}. Ask for one there."
    return refusal.message


def _reads_as(family: Family, text: str) -> bool:
    try:
        parse_address(next(one for one in CHAINS if one.family is family), text)
    except InvalidAddress:
        return False
    return True


_IN_FLIGHT = "A payment is under way: what it brings is not known yet. Come back when it has arrived or failed."
_UNREFUNDABLE = {
    IntentStatus.SETTLED: "Everything that arrived was sent back already, or is held by refunds that are under way.",
    IntentStatus.REFUNDED: "Everything that arrived was sent back already.",
    IntentStatus.AWAITING_SIGNATURE: _IN_FLIGHT,
    IntentStatus.EXECUTING: _IN_FLIGHT,
}


def unrefundable_words(intent: PaymentIntent) -> str:
    """Why nothing of a payment can be sent back now, and what to do."""
    if intent.in_doubt:
        return "It is in doubt whether this payment arrived. We go on looking, and refund nothing before we know."
    if words := _UNREFUNDABLE.get(IntentStatus(intent.status)):
        return words
    if intent.received_usd > 0:
        return _UNREFUNDABLE[IntentStatus.SETTLED] if is_refundable(intent) else _IN_FLIGHT
    return "Nothing has arrived for this payment, so nothing can be sent back."


def beyond_words(refusal: SharesExceedBalance) -> str:
    """Why not every payer can get its share back now, and what to do."""
    return (
        f"Their shares are ${to_decimal_string(refusal.shares_usd)} in all, and "
        f"${to_decimal_string(refusal.refundable_usd)} can be sent back: the rest went elsewhere, or a refund holds "
        "it. Cancel the refunds that wait, or refund each payer by itself."
    )
