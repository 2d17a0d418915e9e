"""From an accepted quote to transactions a wallet can sign."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from chains.clients.base import ChainClient
from chains.clients.registry import client_for
from core.clock import now
from core.modes import Mode
from core.money import BaseUnits
from core.transitions import move
from payments.models import Leg, PaymentAttempt, PaymentIntent
from payments.routing.assets import priced_now
from payments.routing.base import Asset, LegKind, Prepared, RouteRequest, RouteWithdrawn, SigningOrder
from payments.routing.registry import provider_named
from payments.services.attempts import SIGNATURE_TIME
from payments.services.balance import balance
from payments.services.marks import mark_of, watch_address
from payments.services.outcome import conclude
from payments.services.rate import at_rate_of
from payments.services.schedule import WITHDRAWN, schedule_next_look
from payments.services.searches import first_search
from payments.services.target import destination_of
from payments.services.transition import PAYER, apply_trigger, locked_intent
from payments.services.underway import underway
from payments.states import ATTEMPT_MACHINE, LEG_MACHINE, AttemptStatus, IntentStatus, LegStatus

_BEFORE_EXECUTION = (IntentStatus.QUOTED, IntentStatus.AWAITING_SIGNATURE)
"""The second where another browser's attempt was handed out first."""


@dataclass(frozen=True, kw_only=True)
class _Issue:
    """A leg's transaction, and the newest blocks before anybody could sign it."""

    prepared: Prepared
    start_block: int
    destination_start_block: int


def issue_transactions(intent_id: UUID, attempt_id: UUID, client: ChainClient | None = None) -> None:
    """Have providers make the transactions that are next, store them, and hand them out. No transaction is open.

    Why stored first: what a payer signs is exactly what the service later looks for on chain, from the block on
    that was the newest before anything was handed out. Where a provider no longer offers what was agreed, the
    attempt is quoted anew, and the payer asked again. ``client``: as ``advance_intent`` has it.
    Raises: ChainUnavailable. Locks: the intent, once everybody has been asked.
    """
    intent = PaymentIntent.objects.get(pk=intent_id)
    legs = _next_legs(intent, attempt_id)
    client = client or client_for(intent.mode)
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
        _take_back(intent_id, attempt_id, withdrawn.code)
        return
    _hand_out(intent_id, attempt_id, issues)


def _next_legs(intent: PaymentIntent, attempt_id: UUID) -> list[Leg]:
    """What is to be signed next: one leg after the other, since the last one covers what the others left open.

    Why all at once in test mode: its figures never change, and its wallets answer for several.
    """
    planned = list(intent.legs.filter(attempt_id=attempt_id, status=LegStatus.PLANNED).order_by("sequence"))
    return planned if intent.mode == Mode.TEST else planned[:1]


def _target(intent: PaymentIntent, leg: Leg) -> BaseUnits:
    """What the leg must bring: its share, or for the last of several exactly what is still missing."""
    own = intent.legs.filter(attempt_id=leg.attempt_id)
    is_last = not own.filter(status=LegStatus.PLANNED).exclude(pk=leg.pk).exists()
    if intent.mode == Mode.TEST or not is_last or not own.exclude(pk=leg.pk).exists():
        return BaseUnits(leg.min_output_base_units)
    return at_rate_of(leg, balance(intent).due) or BaseUnits(leg.min_output_base_units)


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
        target_base_units=_target(intent, leg),
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
def _take_back(intent_id: UUID, attempt_id: UUID, code: str) -> None:
    """Quote anew what nobody signed yet; of a payment under way, end what is left, so that it can be topped up."""
    intent = locked_intent(intent_id)
    attempt = PaymentAttempt.objects.get(pk=attempt_id)
    if attempt.status == AttemptStatus.PREPARING and intent.status in _BEFORE_EXECUTION:
        move(ATTEMPT_MACHINE, attempt, "quote_anew", {"error_code": code[:40]})
    elif attempt.status == AttemptStatus.EXECUTING:
        for leg in attempt.legs.filter(status=LegStatus.PLANNED):
            move(LEG_MACHINE, leg, "fail", {"error": WITHDRAWN, "updated_at": now()})
        conclude(intent, underway(intent))
    schedule_next_look(intent)


@transaction.atomic
def _hand_out(intent_id: UUID, attempt_id: UUID, issues: Mapping[UUID, _Issue]) -> None:
    intent = locked_intent(intent_id)
    attempt = PaymentAttempt.objects.get(pk=attempt_id)
    is_first = attempt.status == AttemptStatus.PREPARING and intent.status in _BEFORE_EXECUTION
    if not is_first and attempt.status != AttemptStatus.EXECUTING:
        return
    legs = _next_legs(intent, attempt_id)
    if {leg.pk for leg in legs} != set(issues):
        return  # quoted anew since: the next step asks again
    for leg in legs:
        _issue(intent, leg, issues[leg.pk])
    watch_address(intent)
    if is_first:
        move(ATTEMPT_MACHINE, attempt, "issue", {"signature_due_at": now() + SIGNATURE_TIME})
        if intent.status == IntentStatus.QUOTED:
            apply_trigger(intent, "proceed", actor=PAYER)
    else:
        attempt.signature_due_at = now() + SIGNATURE_TIME
        attempt.save(update_fields=["signature_due_at"])
    schedule_next_look(intent)


def _issue(intent: PaymentIntent, leg: Leg, issue: _Issue) -> None:
    prepared = issue.prepared
    mark = mark_of(leg, prepared.unsigned)
    facts = {
        "issued": prepared.unsigned,
        "mark": mark,
        "search_at": first_search(intent) if mark else None,
        "bridge": prepared.bridge,
        "answer": prepared.raw,
        "input_base_units": prepared.input_base_units,
        "min_output_base_units": prepared.min_output_base_units,
        "platform_fee_base_units": prepared.platform_fee_base_units,
        "platform_fee_usd": prepared.platform_fee_usd,
        "start_block": issue.start_block,
        "destination_start_block": issue.destination_start_block,
        "updated_at": now(),
    }
    move(LEG_MACHINE, leg, "issue", facts)
