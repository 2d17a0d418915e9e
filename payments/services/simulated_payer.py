"""The payer of test mode that needs no browser: accepts the quote and sends what it is given.

It uses the same services as a person's wallet does, so the test helper exercises the real path.
"""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from chains.clients.script import Behaviour, SimulatedLeg
from chains.clients.simulated import SimulatedChain
from core.clock import now
from core.errors import NotFound
from core.modes import Mode
from merchants.errors import MerchantSuspended
from payments.errors import IntentNotPayable, PaymentInDoubt, QuoteExpired
from payments.models import Leg, PayerWallet, PaymentAttempt, PaymentIntent, Reporter
from payments.scenarios import DEFAULT
from payments.services.attempts import (
    attempt_of,
    give_up_attempt,
    new_attempt,
    refuse_unpayable,
    request_start,
)
from payments.services.expire import end_what_is_over
from payments.services.quote import make_quote
from payments.services.reports import report_transaction
from payments.services.schedule import look_soon, schedule_next_look
from payments.services.side_by_side import own_open_attempt, withdraw
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.states import PAYER_REJECTED, AttemptStatus, IntentStatus, LegStatus

SIMULATED_WALLET = "0x7e57000000000000000000000000000000000a11"
_OTHER_WALLETS = {
    "split": "0x7e57000000000000000000000000000000005b17",
    "empty": "0x7e57000000000000000000000000000000000bad",
}
"""Wallets whose endings say that they hold many small amounts, or nothing."""
_NEVER_CONNECTS = ("locked", "request_pending")
_DECLINES = ("decline", "no_gas")
_SIGNS_NOTHING = ("wrong_network", "account_changed")
"""Scenarios of the wallet itself, by how far it lets its owner come. Any other wallet signs."""


def owner_of(merchant_id: int) -> str:
    """Whose simulated world a transaction belongs to: what the test clock of one merchant moves."""
    return f"m{merchant_id}"


@transaction.atomic
def pay_by_simulation(intent: PaymentIntent, scenario: str) -> PaymentIntent:
    """Pay a test intent like a payer would; the rest happens through the workers.

    Raises: IntentNotPayable when no payment can start now, or a payment is already on its way.
    """
    intent = locked_intent(intent.pk)
    if intent.mode != Mode.TEST:
        raise NotFound("payment_intent")
    current = own_open_attempt(intent, browser="")
    busy = current is not None and current.simulated_payer
    if busy or intent.in_doubt:
        raise IntentNotPayable(intent.status)
    refuse_unpayable(intent)
    if intent.status == IntentStatus.CREATED:
        apply_trigger(intent, "await_payment", actor=PAYER)
    withdraw(intent, current, "the simulated payer took over")
    if scenario in _NEVER_CONNECTS:
        return intent
    wallet = PayerWallet(family="evm", address=_OTHER_WALLETS.get(scenario, SIMULATED_WALLET))
    new_attempt(intent, wallet, scenario=scenario, simulated_payer=True)
    look_soon(intent)
    return intent


def act_as_payer(intent_id: UUID, attempt_id: UUID) -> None:
    """What a person would do next: accept the quote, or sign and send every leg."""
    attempt = PaymentAttempt.objects.get(pk=attempt_id)
    if attempt.status == AttemptStatus.QUOTED:
        _accept_quote(intent_id, attempt_id)
    elif attempt.status == AttemptStatus.AWAITING_SIGNATURE and attempt.scenario in _DECLINES:
        give_up_attempt(intent_id, attempt_id, PAYER_REJECTED)
    elif attempt.status == AttemptStatus.AWAITING_SIGNATURE and attempt.scenario in _SIGNS_NOTHING:
        _walk_away(intent_id, attempt_id)
    elif attempt.status == AttemptStatus.AWAITING_SIGNATURE:
        for leg in attempt.legs.filter(status=LegStatus.AWAITING_SIGNATURE, tx_hash="").order_by("sequence"):
            tx_hash = send_simulated(leg, attempt.scenario)
            report_transaction(intent_id, attempt_id, leg.sequence, tx_hash, by=Reporter.SIMULATED_PAYER)


@transaction.atomic
def _walk_away(intent_id: UUID, attempt_id: UUID) -> None:
    """Do nothing more: from now on the clock alone ends the attempt. Locks: the intent."""
    intent = locked_intent(intent_id)
    attempt = attempt_of(intent, attempt_id)
    attempt.simulated_payer = False
    attempt.save(update_fields=["simulated_payer"])
    schedule_next_look(intent)


def _accept_quote(intent_id: UUID, attempt_id: UUID) -> None:
    """Accept the quote; ask for a fresh one if it ran out while no worker was there. An intent that is over is left,
    and so is one whose merchant an operator has stopped: its quote lapses.
    """
    try:
        request_start(intent_id, attempt_id)
    except QuoteExpired:
        make_quote(intent_id, attempt_id)
    except MerchantSuspended:
        _walk_away(intent_id, attempt_id)
    except (IntentNotPayable, PaymentInDoubt):
        return


@transaction.atomic
def send_simulated(leg: Leg, behaviour: str) -> str:
    """Send a leg's transaction to the simulated chain and return its hash. A leg is sent once.

    Late money is sent after the intent was made to expire.
    Raises: NotFound for what was never handed out. Locks: the intent, so that two clicks make one transaction.
    """
    intent = locked_intent(leg.intent_id)
    leg = intent.legs.select_related("attempt").get(pk=leg.pk)
    if intent.mode != Mode.TEST or not leg.issued:
        raise NotFound("leg")
    if sent := leg.issued.get("simulated_tx_hash"):
        return str(sent)
    tx_hash = SimulatedChain().broadcast(_as_sent(intent, leg, behaviour))
    leg.issued = {**leg.issued, "simulated_tx_hash": tx_hash}
    leg.save(update_fields=["issued"])
    if leg.attempt is not None and leg.attempt.scenario != behaviour:
        # Why the attempt plays what its wallet was told: whether a failure is hopeless depends on it.
        leg.attempt.scenario = behaviour
        leg.attempt.save(update_fields=["scenario"])
    if behaviour == Behaviour.LATE:
        intent.expires_due_at = now()
        intent.save(update_fields=["expires_due_at"])
        end_what_is_over(intent.pk)
    return tx_hash


def _as_sent(intent: PaymentIntent, leg: Leg, behaviour: str) -> SimulatedLeg:
    late = behaviour == Behaviour.LATE
    return SimulatedLeg(
        owner=owner_of(intent.merchant_id),
        tag=str(leg.pk),
        chain=leg.chain,
        to_chain=leg.to_chain,
        sender=leg.payer_address,
        recipient=intent.settlement_address,
        token=leg.token_address,
        destination_token=intent.settlement_token_address,
        input_base_units=leg.input_base_units,
        output_base_units=leg.min_output_base_units,
        behaviour=behaviour or DEFAULT,
        block_time=max(intent.expires_at, now()) + timedelta(seconds=1) if late else None,
    )
