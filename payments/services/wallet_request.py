"""A wallet asks for its payment in one go: it shows no page, so nobody presses anything in between.

Source: https://docs.solanapay.com/spec, transaction requests. What a payer accepts is what its wallet shows of the
transaction.
"""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from core.clock import now
from payments.models import Leg, PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.attempts import (
    SIGNATURE_TIME,
    connect_wallet,
    new_attempt,
    refuse_unpayable,
)
from payments.services.ownership import browser_of_wallet
from payments.services.schedule import look_soon
from payments.services.side_by_side import own_open_attempt, withdraw
from payments.services.transition import locked_intent
from payments.states import AttemptStatus, LegStatus

SAME_TRANSACTION_FOR = timedelta(seconds=30)
"""How long the same transaction is given again. Why so short: it can land for about a minute, and has to travel."""
_IN_PREPARATION = (AttemptStatus.QUOTING, AttemptStatus.QUOTED, AttemptStatus.PREPARING)
_ASKED_AGAIN = "the wallet asked again"


@transaction.atomic
def request_whole_payment(intent_id: UUID, family: str, address: str) -> UUID:
    """Remember the wallet and have a payment prepared for it, by whichever token suits; the attempt's id.

    A wallet that asks again joins its own attempt, unless its transaction has grown old. The attempt is the wallet's:
    nothing but its signature acts on it, and others' attempts go on beside it.
    Raises: IntentNotPayable, PaymentInDoubt, TooManyAttempts.
    """
    intent, browser = locked_intent(intent_id), browser_of_wallet(address)
    current = own_open_attempt(intent, browser)
    if current is not None and current.status in _IN_PREPARATION:
        return current.pk
    if current is not None and current.status == AttemptStatus.AWAITING_SIGNATURE:
        due = current.signature_due_at
        if due is not None and due - now() > SIGNATURE_TIME - SAME_TRANSACTION_FOR:
            return current.pk  # its transaction was handed out a moment ago
    if current is not None and current.status != AttemptStatus.EXECUTING:
        withdraw(intent, current, _ASKED_AGAIN)
    refuse_unpayable(locked_intent(intent_id), browser)
    connect_wallet(intent_id, family, address, browser)
    intent = locked_intent(intent_id)
    attempt = new_attempt(intent, PayerWallet.objects.get(intent=intent, browser=browser))
    look_soon(intent)
    return attempt.pk


def leg_to_sign(intent: PaymentIntent, attempt: PaymentAttempt) -> Leg | None:
    """The leg whose transaction waits for this wallet, if it is ready."""
    return intent.legs.filter(attempt=attempt, status=LegStatus.AWAITING_SIGNATURE, tx_hash="").first()
