"""The payer's voice: the same situations, told to who pays. The page, its receipt and agents say exactly this.

Marked for translation; whoever shows a sentence translates it.
"""

from collections.abc import Mapping

from django.utils.translation import gettext_noop as _

from payments.explanation.lines import Words
from payments.explanation.situations import Situation

S = Situation


def _words(happened: str, money: str, then: str) -> Words:
    return Words(happened=happened, money=money, next=then)


NOTHING_SENT = _("No money has moved. It is still in your wallet.")
PART_ARRIVED = _("What arrived so far is with the merchant. The rest moves only when you approve it in your wallet.")
"""Said of one who is asked to pay again although a part is there: who paid must not read that nothing moved."""
NOT_SEEN = _("We have seen no payment. If your wallet sent one, it will show up here.")
"""Said instead of ``NOTHING_SENT`` once a wallet was given something that it may have sent without a word."""
_WITH_MERCHANT = _("What arrived is with the merchant.")
_ARRIVED = _("The money is with the merchant.")
_ON_ITS_WAY = _("It is on its way from your wallet to the merchant.")
_CHOOSE = _("Choose a wallet and a token to pay with.")
_NEW_PRICE = _("Choose a token to get a new price.")
_OTHER = _("Choose another token, or try again in a minute.")
_CLOSE = _("You may close this page; the payment goes on without it.")
_KEEP_LOOKING = _("Do not pay again. We keep looking, and this page will tell you.")
_NEW_LINK = _("Ask the merchant for a new payment link.")
_COMPLETE_OR_RETURN = _("Ask the merchant to complete the order or to return the money.")
_DONE = _("You are done. Keep this page as your receipt.")
_CHECK = _("Check the figures and press pay.")
_STILL_BUY = _("Nothing. If you still want to buy, ask the merchant for a new payment link.")
_LOOK_AND_CHOOSE = _("Look into your wallet. If it sent nothing, choose a token to pay with.")
_LOOK_AND_ASK = _("Look into your wallet. If it sent nothing, ask the merchant for a new payment link.")
LOOK_FIRST: Mapping[str, str] = {
    _CHOOSE: _LOOK_AND_CHOOSE,
    _OTHER: _LOOK_AND_CHOOSE,
    _NEW_PRICE: _("Look into your wallet. If it sent nothing, choose a token to get a new price."),
    _CHECK: _("Look into your wallet. If it sent nothing, check the figures and press pay."),
    _NEW_LINK: _LOOK_AND_ASK,
    _STILL_BUY: _LOOK_AND_ASK,
}
"""What to do now, where something may have been sent without a word: nobody is asked to pay twice."""
BESIDE_A_PART: Mapping[str, str] = {
    S.SIGNATURE_REPORTED: _("What arrived so far is with the merchant. The rest may be on its way."),
    S.BRIDGE_UNFILLED: _(
        "What arrived is with the merchant. The bridge returns the rest to your wallet, in some hours."
    ),
    S.BRIDGE_REFUNDED: _("What arrived is with the merchant. The bridge returned the rest to your wallet."),
}
"""By situation or last problem: where the money is when a part is there and the rest is neither there nor unmoved."""

PAYER_WORDS: dict[Situation, Words] = {
    S.CREATED: _words(_("This payment is ready."), NOTHING_SENT, _CHOOSE),
    S.REQUIRES_PAYMENT: _words(_("This payment is waiting for you."), NOTHING_SENT, _CHOOSE),
    S.QUOTING: _words(
        _("We are looking for the best way to pay."), NOTHING_SENT, _("Your price comes in a few seconds.")
    ),
    S.QUOTED: _words(_("Your price is ready."), NOTHING_SENT, _CHECK),
    S.PREPARING: _words(_("Preparing your payment."), NOTHING_SENT, _("Your wallet will ask you in a moment.")),
    S.AWAITING_SIGNATURE: _words(
        _("Your wallet is asking you to approve."),
        _("No money moves until you approve in your wallet."),
        _("Open your wallet and approve, or decline to choose again."),
    ),
    S.SIGNATURE_REPORTED: _words(
        _("Your wallet says that it sent the payment."),
        _("If it was sent, it is on its way. The network has not shown it yet."),
        _("Nothing to do. Do not pay again; this page will tell you."),
    ),
    S.QUOTE_LAPSED: _words(_("Your price ran out."), NOTHING_SENT, _NEW_PRICE),
    S.SIGNATURE_DECLINED: _words(_("This payment was not approved."), NOTHING_SENT, _CHOOSE),
    S.SIGNATURE_TIMED_OUT: _words(_("Your wallet did not approve in time."), NOT_SEEN, LOOK_FIRST[_NEW_PRICE]),
    S.TIME_OVER: _words(_("This payment's time is over."), NOTHING_SENT, _NEW_LINK),
    S.ROUTE_UNAVAILABLE: _words(_("No route can carry this payment right now."), NOTHING_SENT, _OTHER),
    S.PRICE_UNAVAILABLE: _words(_("There is no reliable price for this token right now."), NOTHING_SENT, _OTHER),
    S.EXECUTION_FAILED: _words(
        _("The transaction did not go through."),
        _("No money has moved by it; at most the network fee was spent."),
        _("Try again, or choose another token."),
    ),
    S.BRIDGE_REFUNDED: _words(
        _("The bridge could not deliver and returned the money."),
        _("It is back in your wallet on the chain you paid from."),
        _("Try again with another token or chain."),
    ),
    S.BRIDGE_UNFILLED: _words(
        _("The bridge could not deliver the money."),
        _("The bridge has it, and returns it to your wallet on the chain you paid from. That can take some hours."),
        _("Wait for it and try again, or pay now with other money."),
    ),
    S.COUNTED_ELSEWHERE: _words(
        _("This transaction was already used for another payment."),
        _("It counts for that payment, not for this one."),
        _("Look into your wallet before you pay again."),
    ),
    S.STRAY_ARRIVED: _words(
        _("What arrived is not what was asked for."),
        _("It is where your wallet sent it, and does not count as this payment."),
        _("Talk to the merchant before you pay again."),
    ),
    S.EXECUTING: _words(_("Your payment is on its way."), _ON_ITS_WAY, _CLOSE),
    S.EXECUTING_SLOW: _words(
        _("Your payment takes longer than usual."),
        _ON_ITS_WAY,
        _("Do not pay again. You may close this page; the payment goes on without it."),
    ),
    S.CONFIRMING: _words(
        _("Your payment has arrived and is being confirmed."),
        _("It is at the merchant's address; the network is still writing it down."),
        _CLOSE,
    ),
    S.REST_UNSIGNED: _words(
        _("A part of your payment is done."),
        _("What you approved is on its way or with the merchant. The rest is still in your wallet."),
        _("Approve the rest in your wallet."),
    ),
    S.IN_DOUBT: _words(
        _("We do not know yet how your payment ended."),
        _("Your wallet sent it. Where it ended is not known yet."),
        _KEEP_LOOKING,
    ),
    S.REORG_RECHECKED: _words(
        _("The network is writing your payment down again."),
        _("It had reached the merchant. Mostly it does again within minutes."),
        _KEEP_LOOKING,
    ),
    S.SETTLEMENT_REVERSED: _words(
        _("The network took your payment back and is writing it down again."),
        _("It had reached the merchant. Mostly it does again within minutes."),
        _KEEP_LOOKING,
    ),
    S.PARTIALLY_FILLED: _words(
        _("Only a part of the amount arrived."),
        _WITH_MERCHANT,
        _("Pay the rest to complete the payment, or ask the merchant to return what arrived."),
    ),
    S.PARTIALLY_FILLED_TIME_OVER: _words(
        _("Only a part of the amount arrived, and the time is over."), _WITH_MERCHANT, _COMPLETE_OR_RETURN
    ),
    S.SETTLED: _words(_("Paid."), _ARRIVED, _DONE),
    S.SETTLED_OVERPAID: _words(
        _("Paid, and a little more than needed."),
        _("All of it is with the merchant, the surplus too."),
        _("Ask the merchant to return the surplus."),
    ),
    S.SETTLED_TWICE: _words(
        _("Paid. Then we saw a second payment."),
        _("All of it is with the merchant, the second payment too."),
        _("Ask the merchant to return the second payment."),
    ),
    S.SETTLED_SHORT: _words(_("Paid. The merchant accepted what arrived."), _ARRIVED, _DONE),
    S.SETTLED_LATE: _words(_("Paid."), _ARRIVED, _DONE),
    S.SETTLED_VANISHED: _words(
        _("Your payment is being checked once more."),
        _("It had reached the merchant; the network does not show it there any more."),
        _("Do not pay again. Ask the merchant what comes next."),
    ),
    S.LATE_ARRIVING: _words(
        _("This payment is over, and your money is still on its way."),
        _ON_ITS_WAY,
        _("Do not pay again. When it has arrived, ask the merchant to complete the order or to return it."),
    ),
    S.LATE_PAYMENT: _words(
        _("This payment's time ran out before the whole amount arrived."), _WITH_MERCHANT, _COMPLETE_OR_RETURN
    ),
    S.FAILED: _words(
        _("This payment failed and cannot be tried again."),
        _("No money reached the merchant. A transaction that failed leaves it in your wallet, less the network fee."),
        _NEW_LINK,
    ),
    S.FAILED_FUNDED: _words(
        _("This payment failed, and money arrived afterwards."), _WITH_MERCHANT, _COMPLETE_OR_RETURN
    ),
    S.EXPIRED: _words(_("This payment's time ran out."), NOTHING_SENT, _NEW_LINK),
    S.EXPIRED_FUNDED: _words(
        _("This payment's time ran out before the whole amount arrived."), _WITH_MERCHANT, _COMPLETE_OR_RETURN
    ),
    S.CANCELLED: _words(
        _("The merchant cancelled this payment."),
        NOTHING_SENT,
        _STILL_BUY,
    ),
    S.CANCELLED_FUNDED: _words(
        _("The merchant cancelled this payment, and money arrived afterwards."),
        _WITH_MERCHANT,
        _("Ask the merchant to return it."),
    ),
    S.REFUNDED: _words(
        _("This payment was returned."),
        _("The merchant has sent the money back."),
        _("Look for it at the address that was agreed for the refund."),
    ),
    S.REFUNDED_FUNDED: _words(
        _("This payment was returned, and money arrived afterwards."),
        _WITH_MERCHANT,
        _("Ask the merchant to return what arrived since."),
    ),
}
