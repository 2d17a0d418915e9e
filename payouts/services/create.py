"""Creating the payout of a settled intent: at most one per intent, whoever asks and however often."""

from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from chains.transfers import RailName
from core import transitions
from core.clock import now
from core.ids import is_idempotency_key
from core.locks import entering
from merchants.admission import Admit, admit_all
from merchants.errors import IdempotencyKeyInvalid, IdempotencyKeyReused
from merchants.principal import Principal
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payments.selectors import visible_intent
from payments.services.transition import locked_intent
from payments.states import IntentStatus
from payouts.models import Payout
from payouts.services.plan import Plan, plan_payout
from payouts.services.transition import PAYOUT_LIFECYCLE, apply_trigger, wake_worker


@dataclass(frozen=True, kw_only=True)
class CreatedPayout:
    """An intent's payout. ``coalesced``: this call joined another one for the intent that was under way."""

    payout: Payout
    coalesced: bool


def create_payout(
    principal: Principal, intent_id: UUID, idempotency_key: str, *, admit: Admit = admit_all
) -> CreatedPayout:
    """Pay a settled intent out to the merchant: the one payout that it has or gets.

    A repeat, with the same key or for the same intent, gets that payout; nothing is sent twice. ``admit`` is asked
    once, in the transaction that creates, about what is really new; what it raises undoes everything.
    Raises: IdempotencyKeyInvalid, NotFound, IdempotencyKeyReused, IntentNotSettled, PayoutNotPossible.
    Locks: the intent, then the payout. Source: specification, Agent tool interface; rulings, Money out 1.
    """
    if not is_idempotency_key(idempotency_key):
        raise IdempotencyKeyInvalid
    visible_intent(principal, intent_id)
    if (existing := _existing(principal, intent_id, idempotency_key)) is not None:
        return CreatedPayout(payout=existing, coalesced=False)
    with entering(f"payout:{intent_id}") as was_busy:
        if (existing := _existing(principal, intent_id, idempotency_key)) is not None:
            return CreatedPayout(payout=existing, coalesced=was_busy)
        return _created(principal, intent_id, idempotency_key, admit, was_busy=was_busy)


def _existing(principal: Principal, intent_id: UUID, key: str) -> Payout | None:
    """The intent's payout. Raises: IdempotencyKeyReused where the key stands for another intent's."""
    mine = Payout.objects.visible_to(principal)
    found = list(mine.filter(Q(intent_id=intent_id) | Q(idempotency_key=key)))
    if any(payout.intent_id != intent_id for payout in found):
        raise IdempotencyKeyReused
    return found[0] if found else None


def _created(principal: Principal, intent_id: UUID, key: str, admit: Admit, *, was_busy: bool) -> CreatedPayout:
    """Why the error is caught: only the database sees another intent's call with this key that has not committed."""
    try:
        with transaction.atomic():
            intent = locked_intent(intent_id)
            if (existing := _existing(principal, intent_id, key)) is not None:
                return CreatedPayout(payout=existing, coalesced=was_busy)
            return CreatedPayout(payout=_insert(principal, intent, key, admit), coalesced=False)
    except IntegrityError:
        existing = _existing(principal, intent_id, key)
        if existing is None:
            raise
        return CreatedPayout(payout=existing, coalesced=was_busy)


def _insert(principal: Principal, intent: PaymentIntent, key: str, admit: Admit) -> Payout:
    if intent.status != IntentStatus.SETTLED:
        raise IntentNotSettled(intent.status)
    plan = plan_payout(intent)
    payout = _as_planned(intent, plan, key, principal.actor)
    admit(payout.amount_usd, payout.pk)
    transitions.initial(PAYOUT_LIFECYCLE, payout, actor=principal.actor)
    if plan.rail == RailName.DIRECT:
        apply_trigger(
            payout, "recognise", actor=principal.actor, tx_hash=plan.tx_hash, paid_at=now(), next_attempt_at=None
        )
    else:
        wake_worker()
    return payout


def _as_planned(intent: PaymentIntent, plan: Plan, key: str, actor: str) -> Payout:
    return Payout(
        merchant_id=intent.merchant_id,
        mode=intent.mode,
        intent=intent,
        rail=plan.rail,
        destination=plan.destination,
        chain=intent.settlement_chain,
        token=intent.settlement_token,
        token_address=intent.settlement_token_address,
        token_decimals=intent.settlement_decimals,
        base_units=plan.base_units,
        amount_usd=plan.amount_usd,
        currency=intent.currency,
        idempotency_key=key,
        created_by=actor,
        next_attempt_at=now(),
    )
