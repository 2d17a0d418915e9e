"""Sending what a payer authorized: held against the clock once more by a worker, handed out, and only then sent."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from core.clock import now
from core.transitions import move
from payments.models import Leg, PayerAuthorization, PaymentAttempt, PaymentIntent, Reporter
from payments.services.authorized import BY_AUTHORIZATION
from payments.services.reports import report_transaction
from payments.services.schedule import schedule_next_look
from payments.services.side_by_side import follow_attempts, withdraw
from payments.services.simulated_payer import send_simulated
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.states import ATTEMPT_MACHINE, LEG_MACHINE, TIME_RAN_OUT, AttemptStatus, IntentStatus, LegStatus

UNTIMELY: Final = "authorization_untimely"
_BEFORE_EXECUTION: Final = (IntentStatus.QUOTED, IntentStatus.AWAITING_SIGNATURE)


def is_authorized(attempt: PaymentAttempt, legs: Iterable[Leg]) -> bool:
    """Whether its payer's wallet signed an authorization, so that nobody is asked to sign anything."""
    return any(leg.attempt_id == attempt.pk and leg.tool == BY_AUTHORIZATION for leg in legs)


@transaction.atomic
def send_authorization(intent_id: UUID, attempt_id: UUID) -> None:
    """Send what the attempt's wallet authorized, unless its time or the intent's is over.

    Why in one transaction: the chain of test mode is a table, so what is handed out and what is sent stand together.
    Locks: the intent.
    """
    intent = locked_intent(intent_id)
    attempt = PaymentAttempt.objects.select_related("authorization").get(pk=attempt_id)
    if attempt.status != AttemptStatus.PREPARING or intent.status not in _BEFORE_EXECUTION:
        return
    given = attempt.authorization
    if intent.expires_due_at <= now():
        withdraw(intent, attempt, TIME_RAN_OUT)
    elif given.valid_before <= now().timestamp():
        _refuse(intent, attempt, given, UNTIMELY)
    else:
        leg = _hand_out(intent, attempt, given)
        tx_hash = send_simulated(leg, attempt.scenario)
        report_transaction(intent_id, attempt_id, leg.sequence, tx_hash, by=Reporter.WALLET)
    schedule_next_look(locked_intent(intent_id))


def _hand_out(intent: PaymentIntent, attempt: PaymentAttempt, given: PayerAuthorization) -> Leg:
    """The attempt's one leg, as what its wallet signed. Locks: the caller holds the intent's lock."""
    leg: Leg = attempt.legs.get(status=LegStatus.PLANNED)
    issued = {"family": "evm", "chain": leg.chain, "authorization": given.nonce}
    move(LEG_MACHINE, leg, "issue", {"issued": issued, "start_block": 0, "updated_at": now()})
    ends_at = datetime.fromtimestamp(given.valid_before, UTC)
    move(ATTEMPT_MACHINE, attempt, "issue", {"signature_due_at": ends_at})
    if intent.status == IntentStatus.QUOTED:
        apply_trigger(intent, "proceed", actor=PAYER)
    return leg


def _refuse(intent: PaymentIntent, attempt: PaymentAttempt, given: PayerAuthorization, reason: str) -> None:
    """Nothing was sent, and nothing will be. Locks: as ``_hand_out``."""
    given.refused = reason
    given.save(update_fields=["refused"])
    attempt.legs.filter(status=LegStatus.PLANNED).delete()
    move(ATTEMPT_MACHINE, attempt, "fail", {"error_code": reason})
    follow_attempts(intent, reason)
