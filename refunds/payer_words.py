"""What a payer is told of its refund, by the status of the public view. Fixed sentences; nothing of the merchant's."""

from typing import Final, NamedTuple

from django.utils.translation import gettext_noop as _

from refunds.models import Refund
from refunds.states import MISSING_DESTINATION, PUBLIC_STATUS, R


class PayerWords(NamedTuple):
    """What happened and what comes next; ``tone`` colours it."""

    title: str
    next: str
    tone: str = ""


WAITS: Final = PayerWords(
    _("Your refund waits for an address."),
    _("Say where it goes, with the wallet that paid. Nothing is lost."),
    "warn",
)
ON_ITS_WAY: Final = PayerWords(_("Your refund is on its way."), _("It is sent by itself. You need not do anything."))
PAID: Final = PayerWords(_("Your refund was paid."), _("Look into your wallet: the money is there."), "ok")
_BY_STATUS: Final = {
    "pending": ON_ITS_WAY,
    "processing": PayerWords(_("Your refund is being sent."), _("You may close this page: it arrives by itself.")),
    "retry_scheduled": PayerWords(
        _("Your refund could not be sent yet."),
        _("It is tried again by itself. You need not do anything."),
        "warn",
    ),
    "succeeded": PAID,
    "failed": PayerWords(_("This refund could not be paid."), _("Ask the merchant: it can make another one."), "bad"),
    "cancelled": PayerWords(_("This refund was cancelled."), _("Ask the merchant if you did not expect that.")),
}


def payer_words(refund: Refund) -> PayerWords:
    """What its payer is told now."""
    if refund.status == R.WAITING and refund.failure_reason == MISSING_DESTINATION:
        return WAITS
    return _BY_STATUS[PUBLIC_STATUS[R(refund.status)]]
