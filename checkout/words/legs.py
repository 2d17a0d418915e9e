"""What a payer reads beside each transaction of a payment: where it is, and whether it is slow."""

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from payments.models import Leg
from payments.states import PAYER_REJECTED, REVERTED, UNFILLED, LegStatus

NOTES = {
    "unsigned": _("Not sent yet. Keep this page open until your wallet has sent it."),
    "reported": _("If it was sent, it is on its way. The network has not shown it yet."),
    "sent": _("Sent. The network is taking it in."),
    "sent_slow": _("Slower than usual: the network has not taken it in yet. Do not pay again."),
    "arriving": _("The network has it and is making it final."),
    "crossing": _("It has left %(chain)s and is on its way to %(to_chain)s."),
    "slow": _("Slower than usual. It is still on its way, and we keep looking. Do not pay again."),
    "in_doubt": _("One answer is missing. We keep looking. Do not pay again."),
    "arrived": _("It is with the merchant."),
    "reverted": _("The network refused it. At most its fee was spent."),
    "unfilled": _("The bridge could not deliver it and returns it to your wallet on %(chain)s."),
    "not_sent": _("It was not sent."),
    "not_seen": _("We have seen no payment. If your wallet sent one, it will show up here."),
    "returned": _("It is back in your wallet on %(chain)s."),
}
_FAILED = {REVERTED: "reverted", UNFILLED: "unfilled", PAYER_REJECTED: "not_sent"}
_ENDED = {
    LegStatus.CONFIRMED: "arrived",
    LegStatus.REFUNDED: "returned",
    LegStatus.IN_DOUBT: "in_doubt",
}


def leg_note_code(leg: Leg, is_slow: bool) -> str:  # noqa: FBT001 - a fact about the leg
    """Which sentence a transaction has now."""
    if leg.status in _ENDED:
        return _ENDED[LegStatus(leg.status)]
    if leg.status == LegStatus.FAILED:
        return _FAILED.get(leg.error, "not_seen" if leg.issued else "not_sent")
    if leg.status == LegStatus.SUBMITTED:
        return "sent_slow" if is_slow else "sent"
    if leg.status == LegStatus.CONFIRMING:
        crossing = "arriving" if leg.chain == leg.to_chain else "crossing"
        return "slow" if is_slow else crossing
    return "reported" if leg.tx_hash else "unsigned"


def leg_note(code: str, chain: str, to_chain: str) -> str:
    """The sentence in the active language."""
    return gettext(NOTES[code]) % {"chain": chain, "to_chain": to_chain}
