"""Sending what a payer authorized: held against clock and chain once more by a worker, handed out, and then sent."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from chains.authorized_calls import UNTIMELY, advance_call, gas_account, give_up_call, why_not
from chains.calldata.eip3009 import Authorization
from chains.clients.registry import client_for
from chains.models import AuthorizedCall, GasAccount
from chains.registry import chain
from core.clock import now
from core.modes import Mode
from core.transitions import move
from payments.models import Leg, PayerAuthorization, PaymentAttempt, PaymentIntent, Reporter
from payments.services.authorized import BY_AUTHORIZATION
from payments.services.follow import begin_execution
from payments.services.reports import report_transaction
from payments.services.schedule import schedule_next_look
from payments.services.side_by_side import follow_attempts, withdraw
from payments.services.simulated_payer import send_simulated
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.services.underway import underway
from payments.states import (
    ATTEMPT_MACHINE,
    LEG_MACHINE,
    TIME_RAN_OUT,
    AttemptStatus,
    IntentStatus,
    LegStatus,
)

MOST_OF_AN_INTENT: Final = 3
MOST_OF_A_MERCHANT: Final = 500
"""Calls whose gas is paid: of one payment, and of one merchant in a day. Why so few of one: a wallet that is emptied
after each signature costs gas each time."""
DAY: Final = timedelta(days=1)
GAS_BUDGET, NO_ACCOUNT = "gas_budget", "no_gas_account"
_BEFORE_EXECUTION: Final = (IntentStatus.QUOTED, IntentStatus.AWAITING_SIGNATURE)
_SENDABLE: Final = (AttemptStatus.AWAITING_SIGNATURE, AttemptStatus.EXECUTING)


def is_authorized(attempt: PaymentAttempt, legs: Iterable[Leg]) -> bool:
    """Whether its payer's wallet signed an authorization, so that nobody is asked to sign anything."""
    return any(leg.attempt_id == attempt.pk and leg.tool == BY_AUTHORIZATION for leg in legs)


def send_authorization(intent_id: UUID, attempt_id: UUID) -> None:
    """Send what the attempt's wallet authorized, unless its time or the intent's is over. No transaction is open.

    Raises: ChainUnavailable. Locks: the intent, once the chain has been asked.
    """
    attempt = PaymentAttempt.objects.select_related("authorization").get(pk=attempt_id)
    if attempt.mode == Mode.TEST:
        _hand_out_and_send_simulated(intent_id, attempt_id)
        return
    given = attempt.authorization
    account, head = gas_account(given.chain), client_for(attempt.mode).head(given.chain)
    # Why the head comes first: what was unused in a later block was not used up to this one.
    reason = NO_ACCOUNT if account is None else why_not(account, _authorization(given), given.signature)
    leg = _hand_out_call(intent_id, attempt_id, account, reason, head)
    if leg is not None:
        _advance(intent_id, leg.pk)


def send_on(intent: PaymentIntent, legs: Iterable[Leg]) -> None:
    """Take the calls of an intent's payers on: send what waits, and see whether it landed. No transaction is open.

    Raises: ChainUnavailable.
    """
    if intent.mode != Mode.LIVE:
        return
    handed_out = [leg.pk for leg in legs if leg.issued.get("authorization")]
    if handed_out:
        open_calls = AuthorizedCall.objects.filter(pk__in=handed_out, ended_at=None).order_by("created_at", "pk")
        for leg_id in list(open_calls.values_list("pk", flat=True)):
            _advance(intent.pk, leg_id)


def _advance(intent_id: UUID, leg_id: UUID) -> None:
    """Why a call is looked at when its attempt is over too: its account sends no other before it ended."""
    is_wanted = PaymentAttempt.objects.filter(legs=leg_id, status__in=_SENDABLE).exists()
    call = advance_call(leg_id) if is_wanted else give_up_call(leg_id)
    if call.tx_hashes or call.ended_at is not None:
        _follow(intent_id, leg_id, call)


@transaction.atomic
def _follow(intent_id: UUID, leg_id: UUID, call: AuthorizedCall) -> None:
    """Write down that a call was sent, or that it never will be. Locks: the intent."""
    intent = locked_intent(intent_id)
    way = underway(intent)
    leg = way.leg(leg_id)
    attempt = leg.attempt
    if leg.status != LegStatus.AWAITING_SIGNATURE or attempt is None or attempt.status not in _SENDABLE:
        return
    if call.tx_hashes:
        facts = {"tx_hash": call.tx_hashes[-1], "submitted_at": now(), "updated_at": now(), "error": ""}
        move(LEG_MACHINE, leg, "submit", facts)
        begin_execution(intent, way, leg)
    else:
        PayerAuthorization.objects.filter(attempt=attempt).update(refused=call.outcome)
        withdraw(intent, attempt, call.outcome)
    schedule_next_look(intent)


@transaction.atomic
def _hand_out_and_send_simulated(intent_id: UUID, attempt_id: UUID) -> None:
    """Why in one transaction: the chain of test mode is a table, so what is handed out and sent stand together.

    Locks: the intent.
    """
    intent = locked_intent(intent_id)
    attempt = PaymentAttempt.objects.select_related("authorization").get(pk=attempt_id)
    if _may_go(intent, attempt, ""):
        leg = _hand_out(intent, attempt, attempt.authorization, head=0)
        tx_hash = send_simulated(leg, attempt.scenario)
        report_transaction(intent_id, attempt_id, leg.sequence, tx_hash, by=Reporter.WALLET)
    schedule_next_look(locked_intent(intent_id))


@transaction.atomic
def _hand_out_call(intent_id: UUID, attempt_id: UUID, account: GasAccount | None, reason: str, head: int) -> Leg | None:
    """Hand the leg out, and have its call sent by the account, unless there is a reason not to. Locks: the intent."""
    intent, leg = locked_intent(intent_id), None
    attempt = PaymentAttempt.objects.select_related("authorization").get(pk=attempt_id)
    if _may_go(intent, attempt, reason or _over_budget(intent)) and account is not None:
        given = attempt.authorization
        leg = _hand_out(intent, attempt, given, head)
        AuthorizedCall.objects.create(
            pk=leg.pk,
            merchant_id=intent.merchant_id,
            intent_id=intent.pk,
            account=account,
            token_address=given.token_address,
            holder=given.payer_address,
            recipient=given.recipient,
            base_units=given.base_units,
            valid_after=given.valid_after,
            valid_before=given.valid_before,
            authorization_nonce=given.nonce,
            signature=given.signature,
        )
    schedule_next_look(intent)
    return leg


def _may_go(intent: PaymentIntent, attempt: PaymentAttempt, reason: str) -> bool:
    """Whether it is sent now; what is not ends here. Locks: the caller holds the intent's lock."""
    if attempt.status != AttemptStatus.PREPARING or intent.status not in _BEFORE_EXECUTION:
        return False
    given = attempt.authorization
    if intent.expires_due_at <= now():
        withdraw(intent, attempt, TIME_RAN_OUT)
    elif given.valid_before <= now().timestamp():
        _refuse(intent, attempt, given, UNTIMELY)
    elif reason:
        _refuse(intent, attempt, given, reason)
    else:
        return True
    return False


def _over_budget(intent: PaymentIntent) -> str:
    """Whether enough gas was spent for this payment, or for its merchant today. Locks: as ``_may_go``."""
    calls = AuthorizedCall.objects
    of_merchant = calls.filter(merchant_id=intent.merchant_id, created_at__gt=now() - DAY)
    is_over = calls.filter(intent_id=intent.pk).count() >= MOST_OF_AN_INTENT
    return GAS_BUDGET if is_over or of_merchant.count() >= MOST_OF_A_MERCHANT else ""


def _hand_out(intent: PaymentIntent, attempt: PaymentAttempt, given: PayerAuthorization, head: int) -> Leg:
    """The attempt's one leg, as what its wallet signed. Locks: as ``_may_go``."""
    leg: Leg = attempt.legs.get(status=LegStatus.PLANNED)
    issued = {"family": "evm", "chain": leg.chain, "authorization": given.nonce}
    facts = {"issued": issued, "start_block": head, "destination_start_block": head, "updated_at": now()}
    move(LEG_MACHINE, leg, "issue", facts)
    ends_at = datetime.fromtimestamp(given.valid_before, UTC)
    move(ATTEMPT_MACHINE, attempt, "issue", {"signature_due_at": ends_at})
    if intent.status == IntentStatus.QUOTED:
        apply_trigger(intent, "proceed", actor=PAYER)
    return leg


def _refuse(intent: PaymentIntent, attempt: PaymentAttempt, given: PayerAuthorization, reason: str) -> None:
    """Nothing was sent, and nothing will be. Locks: as ``_may_go``."""
    given.refused = reason
    given.save(update_fields=["refused"])
    attempt.legs.filter(status=LegStatus.PLANNED).delete()
    move(ATTEMPT_MACHINE, attempt, "fail", {"error_code": reason})
    follow_attempts(intent, reason)


def _authorization(given: PayerAuthorization) -> Authorization:
    """What was signed. Raises: ValueError on a chain that nobody knows."""
    known = chain(given.chain)
    if known is None or known.chain_id is None:
        raise ValueError(f"authorization {given.pk} is for no known chain")
    return Authorization(
        chain_id=known.chain_id,
        token=given.token_address,
        holder=given.payer_address,
        recipient=given.recipient,
        base_units=given.base_units,
        valid_after=given.valid_after,
        valid_before=given.valid_before,
        nonce=given.nonce,
    )
