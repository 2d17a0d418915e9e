"""What became of an intent's refunds, as lines of its explanation."""

from collections.abc import Mapping

from chains.states import TransferStatus
from chains.transfers import RailName
from core.money import to_decimal_string
from merchants.admission import HoldReason
from payments.explanation import Actor, After, Line, given, known_hash, moment
from payments.models import PaymentIntent
from refunds.models import Refund
from refunds.states import ADDRESSED, DESTINATION_UNCONFIRMED, OPEN, R, RefundStatus

MOST_LINES = 20
"""The newest refunds of an intent that are told of."""


_THERE = "It is at the settlement address until the refund is sent."
_NOTHING = "Nothing to do: it goes on by itself."

REFUND_WORDS: Mapping[RefundStatus, After] = {
    R.WAITING: After(
        Actor.MERCHANT,
        "warn",
        "A refund waits for an address to send to.",
        _THERE,
        "Enter the address on the dashboard, or send the payer the claim link.",
    ),
    R.QUEUED: After(Actor.SERVICE, "", "A refund waits for its turn.", _THERE, _NOTHING),
    R.PROCESSING: After(
        Actor.SERVICE,
        "",
        "A refund is being sent to the payer.",
        "It is leaving the settlement address, or on its way to the payer already.",
        _NOTHING,
    ),
    R.RETRY_SCHEDULED: After(
        Actor.SERVICE, "warn", "A refund could not be sent; another attempt is planned.", _THERE, _NOTHING
    ),
    R.PAID: After(Actor.NOBODY, "ok", "A refund is paid.", "It is at the address that the refund names.", "Nothing."),
    R.FAILED: After(
        Actor.MERCHANT,
        "bad",
        "A refund failed. Nothing was sent.",
        "It is still at the settlement address.",
        "Mend what the reason names, then create the refund anew.",
    ),
    R.CANCELLED: After(
        Actor.NOBODY,
        "",
        "A refund was cancelled. Nothing was sent.",
        "It is still at the settlement address.",
        "Nothing.",
    ),
}
_AWAITS_WALLET = After(
    Actor.MERCHANT,
    "warn",
    "A refund waits for your own wallet.",
    "It is where your wallet holds it until you sign.",
    "Open the refund on the dashboard and send it from your wallet.",
)
_HELD = After(
    Actor.MERCHANT,
    "warn",
    "A refund is held back, because the agent that made it may not send it any more.",
    _THERE,
    "A person should let it go or cancel it on the dashboard.",
)


_UNCONFIRMED = After(
    Actor.MERCHANT,
    "warn",
    "A refund is held back: an API key named an address that did not pay and that nobody confirmed yet.",
    _THERE,
    "A person should let it go or cancel it on the dashboard.",
)


BEYOND_STATUS: Mapping[str, After] = {
    "refund_awaiting_wallet": _AWAITS_WALLET,
    "refund_held": _HELD,
    "refund_unconfirmed": _UNCONFIRMED,
}
"""Said where a person must act although the status alone does not tell, by code."""
REFUND_CODES = (*(f"refund_{status}" for status in REFUND_WORDS), *BEYOND_STATUS)
"""Every code of such a line."""


def refund_lines(intent: PaymentIntent) -> list[Line]:
    """A line for each refund, those that are not over first, then the newest. One query.

    Why none of strays: where the payment's own money is does not change by them; the timeline tells of theirs.
    """
    rows = intent.refunds.filter(stray=None).select_related("transfer")
    newest = list(rows.order_by("-created_at", "-pk")[:MOST_LINES])
    return [_line(refund) for refund in sorted(newest, key=lambda one: one.status not in OPEN)]


def _line(refund: Refund) -> Line:
    code = _code(refund)
    words = BEYOND_STATUS.get(code) or REFUND_WORDS[RefundStatus(refund.status)]
    return words.line(
        code,
        refund.updated_at,
        given(
            id=str(refund.pk),
            amount_usd=to_decimal_string(refund.amount_usd),
            tx_hash=known_hash(refund.tx_hash),
            failure_reason=refund.failure_reason,
            retry_at=moment(refund.retry_at),
            attempts=refund.attempts,
        ),
    )


def _code(refund: Refund) -> str:
    """Which line it is. Why beyond the status: a refund under way may wait for a person all the same."""
    if refund.status in ADDRESSED and refund.failure_reason in set(HoldReason):
        return "refund_held"
    if refund.status in ADDRESSED and refund.failure_reason == DESTINATION_UNCONFIRMED:
        return "refund_unconfirmed"
    is_unsigned = refund.transfer is None or refund.transfer.status == TransferStatus.NEW
    if refund.status in ADDRESSED and refund.rail == RailName.MERCHANT_WALLET and is_unsigned:
        return "refund_awaiting_wallet"
    return f"refund_{refund.status}"
