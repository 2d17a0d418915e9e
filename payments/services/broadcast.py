"""Transactions that a wallet only signs: checked and stored by the web process, sent by a worker.

Why the service sends them: it then knows the payment before any network does, and can send the same bytes again.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from chains.clients.registry import SOLANA
from chains.instructions.transactions import validated_signature
from core.clock import now
from core.errors import NotFound
from core.modes import Mode
from core.transitions import move
from payments.errors import TransactionAltered, TransactionNotAwaited
from payments.models import Leg, PaymentIntent
from payments.services.attempts import attempt_of
from payments.services.follow import begin_execution
from payments.services.schedule import look_soon
from payments.services.transition import locked_intent
from payments.services.underway import underway
from payments.states import LEG_MACHINE, AttemptStatus, LegStatus

_SIGNABLE = (AttemptStatus.AWAITING_SIGNATURE, AttemptStatus.EXECUTING)
_UNLANDED = (LegStatus.SUBMITTED, LegStatus.IN_DOUBT)


@transaction.atomic
def take_signed_transaction(intent_id: UUID, attempt_id: UUID, leg_sequence: int, signed: str) -> PaymentIntent:
    """Store what a wallet signed for a leg, if it is exactly what it was given; a worker sends it.

    From here on the payment counts as sent, and no other try starts before this transaction is dead.
    Raises: NotFound, TransactionAltered, TransactionNotAwaited.
    Source: docs/live.md, What the payer's wallet is asked.
    """
    intent = locked_intent(intent_id)
    attempt = attempt_of(intent, attempt_id)
    leg = attempt.legs.filter(sequence=leg_sequence).first()
    if leg is None:
        raise NotFound("leg")
    signature = _signature(leg, signed)
    if leg.signed_transaction:
        return intent  # the same message: told twice
    if attempt.status not in _SIGNABLE or leg.status != LegStatus.AWAITING_SIGNATURE:
        raise TransactionNotAwaited
    facts = {
        "signed_transaction": signed,
        "tx_hash": signature,
        "submitted_at": now(),
        "updated_at": now(),
        "error": "",
    }
    move(LEG_MACHINE, leg, "submit", facts)
    way = underway(intent)
    begin_execution(intent, way, way.leg(leg.pk))
    look_soon(intent)
    return intent


def broadcast_signed(intent: PaymentIntent, legs: Iterable[Leg]) -> None:
    """Send, or send again, what is signed and not on chain yet. No transaction is open.

    Whether a node took it proves nothing: what became of it is seen by looking.
    """
    if intent.mode != Mode.LIVE:
        return
    for leg in legs:
        if leg.signed_transaction and leg.status in _UNLANDED:
            SOLANA.broadcast(leg.chain, leg.signed_transaction)


def _signature(leg: Leg, signed: str) -> str:
    try:
        return validated_signature(signed, leg.issued.get("transaction_base64", ""))
    except ValueError as error:
        raise TransactionAltered from error
