"""From an accepted quote to transactions a wallet can sign."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from chains.clients.registry import client_for
from core.clock import now
from core.modes import Mode
from core.transitions import move
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.routing.assets import priced_now
from payments.routing.base import Asset, LegKind, Prepared, RouteRequest, RouteWithdrawn, SigningOrder
from payments.routing.registry import provider_named
from payments.services.attempts import SIGNATURE_TIME
from payments.services.schedule import schedule_next_look
from payments.services.target import destination_of
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.states import ATTEMPT_MACHINE, LEG_MACHINE, AttemptStatus, IntentStatus, LegStatus


@dataclass(frozen=True, kw_only=True)
class _Issue:
    """A leg's transaction, and the newest blocks before anybody could sign it."""

    prepared: Prepared
    start_block: int
    destination_start_block: int


def issue_transactions(intent_id: UUID, attempt_id: UUID) -> None:
    """Have providers make the transaction of every leg, store them, and hand them out. No transaction is open.

    Why stored first: what a payer signs is exactly what the service later looks for on chain, from the block on
    that was the newest before anything was handed out. Where a provider no longer offers what was agreed, the
    attempt is quoted anew, and the payer asked again.
    Raises: ChainUnavailable. Locks: the intent, once everybody has been asked.
    """
    intent = PaymentIntent.objects.get(pk=intent_id)
    legs = list(intent.legs.filter(attempt_id=attempt_id, status=LegStatus.PLANNED).order_by("sequence"))
    client = client_for(intent.mode)
    heads = {name: client.head(name) for name in sorted({leg.chain for leg in legs} | {leg.to_chain for leg in legs})}
    try:
        issues = {
            leg.pk: _Issue(
                prepared=_prepare(intent, leg),
                start_block=heads[leg.chain],
                destination_start_block=heads[leg.to_chain],
            )
            for leg in legs
        }
    except RouteWithdrawn as withdrawn:
        _quote_anew(intent_id, attempt_id, withdrawn.code)
        return
    _hand_out(intent_id, attempt_id, issues)


def _prepare(intent: PaymentIntent, leg: Leg) -> Prepared:
    """Raises: RouteWithdrawn, ChainUnavailable."""
    provider, destination = provider_named(Mode(intent.mode), leg.chain, leg.provider), destination_of(intent)
    if provider is None or destination is None:
        raise RouteWithdrawn("PROVIDER_UNAVAILABLE")
    source = Asset(
        chain=leg.chain,
        address=leg.token_address,
        symbol=leg.token,
        name=leg.token,
        decimals=leg.token_decimals,
        usd_price=destination.usd_price,
    )
    request = RouteRequest(
        mode=Mode(intent.mode),
        payer_address=leg.payer_address,
        source=priced_now(Mode(intent.mode), source),
        destination=destination,
        recipient=intent.settlement_address,
        target_base_units=leg.min_output_base_units,
    )
    order = SigningOrder(
        tag=str(leg.pk),
        request=request,
        kind=LegKind(leg.kind),
        tool=leg.tool,
        most_input_base_units=leg.input_base_units,
    )
    return provider.prepare(order)


@transaction.atomic
def _quote_anew(intent_id: UUID, attempt_id: UUID, code: str) -> None:
    intent = locked_intent(intent_id)
    attempt = PaymentAttempt.objects.get(pk=attempt_id)
    if attempt.status == AttemptStatus.PREPARING and intent.status == IntentStatus.QUOTED:
        move(ATTEMPT_MACHINE, attempt, "quote_anew", {"error_code": code[:40]})
        schedule_next_look(intent)


@transaction.atomic
def _hand_out(intent_id: UUID, attempt_id: UUID, issues: Mapping[UUID, _Issue]) -> None:
    intent = locked_intent(intent_id)
    attempt = PaymentAttempt.objects.get(pk=attempt_id)
    if attempt.status != AttemptStatus.PREPARING or intent.status != IntentStatus.QUOTED:
        return
    legs = list(attempt.legs.filter(status=LegStatus.PLANNED).order_by("sequence"))
    if {leg.pk for leg in legs} != set(issues):
        return  # quoted anew since: the next step asks again
    for leg in legs:
        _issue(leg, issues[leg.pk])
    move(ATTEMPT_MACHINE, attempt, "issue", {"signature_due_at": now() + SIGNATURE_TIME})
    apply_trigger(intent, "proceed", actor=PAYER)
    schedule_next_look(intent)


def _issue(leg: Leg, issue: _Issue) -> None:
    prepared = issue.prepared
    facts = {
        "issued": prepared.unsigned,
        "bridge": prepared.bridge,
        "answer": prepared.raw,
        "input_base_units": prepared.input_base_units,
        "start_block": issue.start_block,
        "destination_start_block": issue.destination_start_block,
        "updated_at": now(),
    }
    move(LEG_MACHINE, leg, "issue", facts)
