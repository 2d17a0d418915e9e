"""What a payer is told: what happened, where the money is, what to do now. One catalogue for page and receipt."""

from dataclasses import asdict, dataclass, replace

from payments.models import PaymentIntent
from payments.states import UNPAID, IntentStatus


@dataclass(frozen=True, kw_only=True)
class Message:
    """Three parts, always all of them."""

    code: str
    happened: str
    money: str
    next: str


def _message(code: str, happened: str, money: str, then: str) -> Message:
    return Message(code=code, happened=happened, money=money, next=then)


_NOTHING_SENT = "No money has moved. It is still in your wallet."
_PART_ARRIVED = "What arrived so far is with the merchant. Nothing more moves until you approve in your wallet."
_OVER_UNPAID = (IntentStatus.FAILED, IntentStatus.EXPIRED, IntentStatus.CANCELLED)
_CHOOSE = "Choose a wallet and a token to pay with."

CATALOGUE = {
    message.code: message
    for message in (
        _message("created", "This payment is ready.", _NOTHING_SENT, _CHOOSE),
        _message("requires_payment", "This payment is waiting for you.", _NOTHING_SENT, _CHOOSE),
        _message("quoted", "Your price is ready.", _NOTHING_SENT, "Check the figures and press pay."),
        _message(
            "awaiting_signature",
            "Your wallet is asking you to approve.",
            "No money moves until you approve in your wallet.",
            "Open your wallet and approve, or decline to choose again.",
        ),
        _message(
            "executing",
            "Your payment is on its way.",
            "It has left your wallet and is travelling to the merchant.",
            "You may close this page; the payment goes on without it.",
        ),
        _message(
            "in_doubt",
            "We do not know yet how your payment ended.",
            "It has left your wallet; the bridge has not said where it is.",
            "Do not pay again. We keep looking, and this page will tell you.",
        ),
        _message(
            "partially_filled",
            "Only a part of the amount arrived.",
            "What arrived is with the merchant.",
            "Pay the rest to complete the payment, or ask the merchant to return what arrived.",
        ),
        _message(
            "settled", "Paid.", "The money is with the merchant.", "You are done. Keep this page as your receipt."
        ),
        _message(
            "settled_overpaid",
            "Paid, and a little more than needed.",
            "All of it is with the merchant, the surplus too.",
            "Ask the merchant to return the surplus.",
        ),
        _message(
            "failed",
            "This payment failed and cannot be tried again.",
            "No money reached the merchant. A transaction that failed leaves it in your wallet, less the network fee.",
            "Ask the merchant for a new payment link.",
        ),
        _message(
            "failed_funded",
            "This payment failed, and money arrived afterwards.",
            "What arrived is with the merchant.",
            "Ask the merchant to complete the order or to return the money.",
        ),
        _message(
            "expired",
            "This payment's time ran out.",
            "No money has moved. It is still in your wallet.",
            "Ask the merchant for a new payment link.",
        ),
        _message(
            "expired_funded",
            "This payment's time ran out before the whole amount arrived.",
            "What arrived is with the merchant.",
            "Ask the merchant to complete the order or to return the money.",
        ),
        _message(
            "cancelled",
            "The merchant cancelled this payment.",
            "No money has moved. It is still in your wallet.",
            "Nothing. If you still want to buy, ask the merchant for a new payment link.",
        ),
        _message(
            "cancelled_funded",
            "The merchant cancelled this payment, and money arrived afterwards.",
            "What arrived is with the merchant.",
            "Ask the merchant to return it.",
        ),
        _message(
            "refunded",
            "This payment was returned.",
            "The merchant has sent the money back.",
            "Look for it at the address that was agreed for the refund.",
        ),
        _message(
            "route_unavailable",
            "No route can carry this payment right now.",
            _NOTHING_SENT,
            "Choose another token, or try again in a minute.",
        ),
        _message(
            "price_unavailable",
            "There is no reliable price for this token right now.",
            _NOTHING_SENT,
            "Choose another token, or try again in a minute.",
        ),
        _message(
            "execution_failed",
            "The transaction did not go through.",
            "No money has moved; only the network fee was spent.",
            "Try again, or choose another token.",
        ),
        _message(
            "bridge_refunded",
            "The bridge could not deliver and returned the money.",
            "It is back in your wallet on the chain you paid from.",
            "Try again with another token or chain.",
        ),
        _message(
            "bridge_unfilled",
            "The bridge could not deliver the money.",
            "The bridge has it, and returns it to your wallet on the chain you paid from. That can take some hours.",
            "Wait for it and try again, or pay now with other money.",
        ),
    )
}


def message_for(intent: PaymentIntent) -> Message:
    """The message of this moment. Why changed for a top-up: who paid a part must not read that nothing moved."""
    message = CATALOGUE[_code(intent)]
    return replace(message, money=_PART_ARRIVED) if intent.status in UNPAID and intent.received_usd > 0 else message


def message_body(message: Message) -> dict[str, str]:
    """A message on the wire."""
    return asdict(message)


def _code(intent: PaymentIntent) -> str:
    if intent.in_doubt:
        return "in_doubt"
    if intent.status == IntentStatus.SETTLED and intent.overpaid_usd > 0:
        return "settled_overpaid"
    if intent.status in _OVER_UNPAID and intent.received_usd > 0:
        return f"{intent.status}_funded"
    if intent.status == IntentStatus.REQUIRES_PAYMENT and intent.last_error_code in CATALOGUE:
        return intent.last_error_code
    return str(intent.status)
