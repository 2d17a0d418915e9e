"""A wallet asks for its payment in one go: it shows no page, so nobody presses anything in between.

Source: Solana Pay, transaction requests. What a payer accepts is what its wallet shows of the transaction.
"""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from core.clock import now
from payments.errors import AnotherWalletPays
from payments.models import Leg, PayerWallet, PaymentAttempt, PaymentIntent
from payments.services.attempts import (
    SIGNATURE_TIME,
    connect_wallet,
    new_attempt,
    refuse_unpayable,
    withdraw_open_attempt,
)
from payments.services.schedule import look_soon, open_attempt
from payments.services.transition import locked_intent
from payments.states import AttemptStatus, LegStatus

SAME_TRANSACTION_FOR = timedelta(seconds=30)
"""How long the same transaction is given again. Why so short: it can land for about a minute, and has to travel."""
_BEFORE_A_TRANSACTION = (AttemptStatus.QUOTING, AttemptStatus.QUOTED)
_ASKED_AGAIN = "the wallet asked again"


@transaction.atomic
def request_whole_payment(intent_id: UUID, family: str, address: str) -> UUID:
    """Remember the wallet and have a payment prepared for it, by whichever token suits; the attempt's id.

    A wallet that asks again joins its own attempt, unless its transaction has grown old.
    Raises: AnotherWalletPays, IntentNotPayable, PaymentInDoubt.
    """
    intent = locked_intent(intent_id)
    current = open_attempt(intent)
    if current is not None and current.status not in _BEFORE_A_TRANSACTION:
        if current.payer_address != address:
            raise AnotherWalletPays
        if current.status == AttemptStatus.PREPARING or _is_young(current):
            return current.pk
    if current is not None and current.status in _BEFORE_A_TRANSACTION and current.payer_address == address:
        return current.pk
    if current is not None and current.status != AttemptStatus.EXECUTING:
        withdraw_open_attempt(intent, _ASKED_AGAIN)
    refuse_unpayable(locked_intent(intent_id))
    connect_wallet(intent_id, family, address)
    intent = locked_intent(intent_id)
    attempt = new_attempt(intent, PayerWallet.objects.get(intent=intent))
    look_soon(intent)
    return attempt.pk


def leg_to_sign(intent: PaymentIntent, attempt: PaymentAttempt) -> Leg | None:
    """The leg whose transaction waits for this wallet, if it is ready."""
    return intent.legs.filter(attempt=attempt, status=LegStatus.AWAITING_SIGNATURE, tx_hash="").first()


def _is_young(attempt: PaymentAttempt) -> bool:
    """Whether its transaction was handed out a moment ago."""
    due = attempt.signature_due_at
    is_waiting = attempt.status == AttemptStatus.AWAITING_SIGNATURE and due is not None
    return is_waiting and due is not None and due - now() > SIGNATURE_TIME - SAME_TRANSACTION_FOR
