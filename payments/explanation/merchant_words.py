"""The merchant's voice: what happened, where the money is, who must act, and the next safe step."""

from typing import NamedTuple

from payments.explanation.lines import Actor, Words
from payments.explanation.situations import Situation

A, S = Actor, Situation


class MerchantWords(NamedTuple):
    """A situation in the merchant's words."""

    actor: Actor
    tone: str
    words: Words


def _words(actor: Actor, tone: str, happened: str, money: str, then: str) -> MerchantWords:
    return MerchantWords(actor=actor, tone=tone, words=Words(happened=happened, money=money, next=then))


WITH_PAYER = "No money has moved. It is with the payer."
NOT_SEEN = "No payment was seen. If the payer's wallet sent one all the same, it is found."
"""Said instead of ``WITH_PAYER`` once a wallet was given something that it may have sent without a word."""
_UNDER_WAY = "It is on its way from the payer's wallet to the settlement address."
_WITH_MERCHANT = "It is at the settlement address."
PART_WITH_MERCHANT = "What arrived is at the settlement address."
"""Said of one who is asked to pay again although a part is there."""
_WAIT = "Nothing to do: the payer acts on the checkout page. It expires by itself."
_SHORTLY = "Nothing to do: this takes a few seconds."
_CREATE_NEW = "Create a new intent if it is still wanted."
_TRY_AGAIN = "The payer may try again until it expires."
_CHOOSE_ANOTHER = "The payer may try another token."
_DECIDE = "A person should decide: complete the order, or refund what arrived."
_ENDS = "Nothing to do: it expires by itself. What was sent in time is still looked for."
_KEEP_WAITING = "Wait: the service keeps looking. Do not ask the payer to pay again."

MERCHANT_WORDS: dict[Situation, MerchantWords] = {
    S.CREATED: _words(A.PAYER, "", "The intent waits for its payer.", WITH_PAYER, "Give the payer the checkout link."),
    S.REQUIRES_PAYMENT: _words(A.PAYER, "", "The payer has opened the checkout and not paid.", WITH_PAYER, _WAIT),
    S.QUOTING: _words(A.SERVICE, "", "The payer chose how to pay; routes are being asked.", WITH_PAYER, _SHORTLY),
    S.QUOTED: _words(A.PAYER, "", "The payer has been shown a price.", WITH_PAYER, _WAIT),
    S.PREPARING: _words(
        A.SERVICE, "", "The payer accepted the price; the transaction is being prepared.", WITH_PAYER, _SHORTLY
    ),
    S.AWAITING_SIGNATURE: _words(A.PAYER, "", "The payer's wallet is asking for approval.", WITH_PAYER, _WAIT),
    S.SIGNATURE_REPORTED: _words(
        A.SERVICE,
        "",
        "The payer's wallet says that it sent the transaction; no node shows it yet.",
        "It may be on its way to the settlement address. Until a node shows it, count on nothing.",
        "Wait: it is looked for. Do not ask the payer to pay again.",
    ),
    S.QUOTE_LAPSED: _words(A.PAYER, "", "The payer was shown a price and let it lapse.", WITH_PAYER, _WAIT),
    S.SIGNATURE_DECLINED: _words(
        A.PAYER, "", "The payer declined in the wallet, or left before signing.", WITH_PAYER, _WAIT
    ),
    S.SIGNATURE_TIMED_OUT: _words(
        A.PAYER, "", "The payer's wallet was asked and did not approve in time.", NOT_SEEN, _WAIT
    ),
    S.TIME_OVER: _words(A.SERVICE, "", "The time to pay is over; the intent is about to expire.", WITH_PAYER, _ENDS),
    S.ROUTE_UNAVAILABLE: _words(A.PAYER, "warn", "No route could carry the payment.", WITH_PAYER, _CHOOSE_ANOTHER),
    S.PRICE_UNAVAILABLE: _words(
        A.PAYER, "warn", "The payer's token has no reliable price.", WITH_PAYER, _CHOOSE_ANOTHER
    ),
    S.EXECUTION_FAILED: _words(
        A.PAYER,
        "warn",
        "The payer's transaction did not go through.",
        "No money has moved by it; at most the network fee was spent.",
        _TRY_AGAIN,
    ),
    S.BRIDGE_REFUNDED: _words(
        A.PAYER,
        "warn",
        "The bridge could not deliver and returned the money.",
        "It is back in the payer's wallet.",
        _TRY_AGAIN,
    ),
    S.BRIDGE_UNFILLED: _words(
        A.PAYER,
        "warn",
        "The bridge could not deliver the money.",
        "The bridge has it, and returns it to the payer's wallet. That can take some hours.",
        "The payer may wait for it, or pay with other money until it expires.",
    ),
    S.COUNTED_ELSEWHERE: _words(
        A.MERCHANT,
        "bad",
        "The payer's transaction counts for another payment.",
        "It arrived once, and is counted there. What came beyond that is at the settlement address.",
        "A person should look at the transaction. The payer may pay this one until it expires.",
    ),
    S.STRAY_ARRIVED: _words(
        A.MERCHANT,
        "warn",
        "Something arrived that does not count: another token, or at another address.",
        "It is where it was sent; the transaction shows where.",
        "A person should look at it, and agree with the payer on how it goes back.",
    ),
    S.EXECUTING: _words(
        A.SERVICE,
        "",
        "The payer has paid; the transaction is not final yet.",
        _UNDER_WAY,
        "Wait until the status changes. It cannot be cancelled now.",
    ),
    S.EXECUTING_SLOW: _words(
        A.SERVICE, "warn", "The payer has paid; it takes longer than it usually does.", _UNDER_WAY, _KEEP_WAITING
    ),
    S.CONFIRMING: _words(
        A.SERVICE,
        "",
        "The money has arrived; it counts once enough blocks stand on it.",
        "It is at the settlement address, and not final yet.",
        "Wait until it is settled before you deliver.",
    ),
    S.REST_UNSIGNED: _words(
        A.PAYER,
        "warn",
        "A part of the payment is done; the rest waits for the payer's signature.",
        "What was signed has left the payer's wallet; the rest is still in it.",
        "Nothing to do: the payer approves on the checkout page.",
    ),
    S.IN_DOUBT: _words(
        A.SERVICE,
        "warn",
        "The payer has paid; it is not known yet how that ended.",
        "The payer's wallet sent it. Where it ended is not known yet.",
        _KEEP_WAITING,
    ),
    S.REORG_RECHECKED: _words(
        A.SERVICE,
        "warn",
        "The chain dropped the block that held the payment; it is being looked for again.",
        "It had reached the settlement address. Mostly it returns there within minutes.",
        "Wait, and do not deliver yet. Do not ask the payer to pay again.",
    ),
    S.SETTLEMENT_REVERSED: _words(
        A.SERVICE,
        "bad",
        "The intent was settled, and the chain took the payment back before it was final.",
        "It is not at the settlement address now; it is being looked for.",
        "Hold the delivery if you still can, and wait: it settles again when the payment returns.",
    ),
    S.PARTIALLY_FILLED: _words(
        A.PAYER,
        "warn",
        "Only a part of the amount arrived.",
        PART_WITH_MERCHANT,
        "The payer may pay the rest until it expires; a person may refund what arrived.",
    ),
    S.PARTIALLY_FILLED_TIME_OVER: _words(
        A.SERVICE,
        "warn",
        "Only a part of the amount arrived, and the time to pay is over.",
        PART_WITH_MERCHANT,
        _ENDS,
    ),
    S.SETTLED: _words(A.NOBODY, "ok", "The intent is paid.", _WITH_MERCHANT, "It can be paid out, or refunded."),
    S.SETTLED_OVERPAID: _words(
        A.MERCHANT,
        "ok",
        "The intent is paid, with more than was asked for.",
        "All of it is at the settlement address, the surplus too.",
        "It can be paid out; the surplus can be refunded.",
    ),
    S.SETTLED_TWICE: _words(
        A.MERCHANT,
        "warn",
        "The intent is paid, and then a second payment came.",
        "Both are at the settlement address.",
        "Ask the payer what it was for; what is too much can be refunded.",
    ),
    S.SETTLED_SHORT: _words(
        A.NOBODY,
        "ok",
        "The intent is paid: less than was asked for was accepted.",
        _WITH_MERCHANT,
        "It can be paid out, or refunded.",
    ),
    S.SETTLED_LATE: _words(
        A.NOBODY,
        "ok",
        "The intent is paid, by money that came after its time.",
        _WITH_MERCHANT,
        "It can be paid out, or refunded.",
    ),
    S.SETTLED_VANISHED: _words(
        A.SERVICE,
        "bad",
        "The chain took back money that it had called final.",
        "It was at the settlement address; the chain does not show it there any more.",
        "Do not deliver and do not refund. The operators of this service look into it.",
    ),
    S.LATE_ARRIVING: _words(
        A.SERVICE,
        "warn",
        "The intent is over, and a payment for it is still on its way.",
        _UNDER_WAY,
        "Wait until it has arrived, then decide what becomes of it.",
    ),
    S.LATE_PAYMENT: _words(
        A.MERCHANT,
        "warn",
        "Time ran out, and money arrived afterwards.",
        PART_WITH_MERCHANT,
        _DECIDE,
    ),
    S.FAILED: _words(A.NOBODY, "bad", "The payment failed for good.", "Nothing arrived.", _CREATE_NEW),
    S.FAILED_FUNDED: _words(
        A.MERCHANT, "warn", "The payment failed, and money arrived afterwards.", PART_WITH_MERCHANT, _DECIDE
    ),
    S.EXPIRED: _words(A.NOBODY, "", "Time ran out before anything was paid.", WITH_PAYER, _CREATE_NEW),
    S.EXPIRED_FUNDED: _words(
        A.MERCHANT, "warn", "Time ran out before the whole amount arrived.", PART_WITH_MERCHANT, _DECIDE
    ),
    S.CANCELLED: _words(A.NOBODY, "", "The intent was cancelled.", WITH_PAYER, _CREATE_NEW),
    S.CANCELLED_FUNDED: _words(
        A.MERCHANT, "warn", "The intent was cancelled, and money arrived afterwards.", PART_WITH_MERCHANT, _DECIDE
    ),
    S.REFUNDED: _words(
        A.NOBODY,
        "ok",
        "Everything that arrived was sent back.",
        "It was sent to the refunds' destinations.",
        "Nothing.",
    ),
    S.REFUNDED_FUNDED: _words(
        A.MERCHANT,
        "warn",
        "Everything was sent back, and money arrived afterwards.",
        PART_WITH_MERCHANT,
        "A person should refund what arrived since.",
    ),
}
"""By situation. No sentence holds a word from outside, and none is longer than a line."""
