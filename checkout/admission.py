"""Whether a payer may begin to pay: not where an operator has stopped the merchant."""

from typing import Final

from core.money import ZERO_USD
from payments.models import PaymentIntent
from payments.states import IntentStatus

_UNBEGUN: Final = (IntentStatus.CREATED, IntentStatus.REQUIRES_PAYMENT, IntentStatus.QUOTED)


def is_refused_payment(intent: PaymentIntent) -> bool:
    """Whether its page says so in its place. Why not once something was signed: then a payer looks for their money."""
    is_begun = intent.status not in _UNBEGUN or intent.received_usd > ZERO_USD
    return intent.merchant.suspended_at is not None and not is_begun
