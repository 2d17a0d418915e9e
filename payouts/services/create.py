"""Creating the payout of a settled intent: one for what it holds, whoever asks and however often."""

from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from chains.transfers import RailName
from core import transitions
from core.clock import now
from core.ids import derived_id, is_idempotency_key
from core.locks import entering
from ledger.services import postings
from merchants.admission import Admit, admit_all
from merchants.errors import IdempotencyKeyInvalid, IdempotencyKeyReused
from merchants.principal import Principal
from payments.errors import IntentNotSettled
from payments.models import PaymentIntent
from payments.selectors import visible_intent
from payments.services.transition import locked_intent
from payments.services.worth import counted_usd
from payments.states import IntentStatus
from payouts.models import Payout
from payouts.services.booking import standing
from payouts.services.plan import Plan, plan_payout
from payouts.services.transition import PAYOUT_LIFECYCLE, apply_trigger, wake_worker
from payouts.states import OVER


@dataclass(frozen=True, kw_only=True)
class CreatedPayout:
    """An intent's payout. ``coalesced``: this call joined another one for the intent that was under way."""

    payout: Payout
    coalesced: bool


@dataclass(frozen=True, kw_only=True)
class _PayoutRequest:
    """Who wants which intent paid out, under which key; ``rest``: also what came after the payout that it has."""

    principal: Principal
    intent_id: UUID
    key: str
    rest: bool

    def is_key_of(self, payout: Payout) -> bool:
        """Whether the same maker asked for that payout under this key."""
        return bool(self.key) and (payout.maker, payout.idempotency_key) == (self.principal.maker, self.key)


def create_payout(
    principal: Principal, intent_id: UUID, idempotency_key: str, *, admit: Admit = admit_all, rest: bool = False
) -> CreatedPayout:
    """Pay a settled intent out to the merchant: the payout that it has, or gets for what it holds.

    A repeat, with the same key of the same maker or for the same intent, gets that payout; nothing is sent twice. With
    ``rest`` an intent whose payouts are all over gets another one for what it holds by now, if that is anything. The
    service's own payouts have no key. ``admit`` is asked
    once, in the transaction that creates, about what is really new; what it raises undoes everything.
    Raises: IdempotencyKeyInvalid, NotFound, IdempotencyKeyReused, IntentNotSettled, PayoutNotPossible.
    Locks: the intent, then the payout. Source: specification, Agent tool interface; docs/guides/payouts.md.
    """
    is_without = principal.is_service and not idempotency_key
    if not is_without and not is_idempotency_key(idempotency_key):
        raise IdempotencyKeyInvalid
    visible_intent(principal, intent_id)
    request = _PayoutRequest(principal=principal, intent_id=intent_id, key=idempotency_key, rest=rest)
    if (existing := _existing(request)) is not None:
        return CreatedPayout(payout=existing, coalesced=False)
    with entering(f"payout:{intent_id}") as was_busy:
        if (existing := _existing(request)) is not None:
            return CreatedPayout(payout=existing, coalesced=was_busy)
        return _created(request, admit, was_busy=was_busy)


def _existing(request: _PayoutRequest) -> Payout | None:
    """The payout of the maker's key, else the intent's newest that answers the request.

    Raises: IdempotencyKeyReused where the key stands for another intent's.
    """
    same_key = Q(maker=request.principal.maker, idempotency_key=request.key) if request.key else Q()
    mine = Payout.objects.visible_to(request.principal)
    found = list(mine.filter(Q(intent_id=request.intent_id) | same_key).order_by("-created_at", "-id"))
    if any(payout.intent_id != request.intent_id for payout in found):
        raise IdempotencyKeyReused
    of_key = next((payout for payout in found if request.is_key_of(payout)), None)
    newest = found[0] if found else None
    is_answered = newest is None or not request.rest or newest.status not in OVER
    return of_key or (newest if is_answered else None)


def _created(request: _PayoutRequest, admit: Admit, *, was_busy: bool) -> CreatedPayout:
    """Why the error is caught: only the database sees another intent's call with this key that has not committed."""
    try:
        with transaction.atomic():
            intent = locked_intent(request.intent_id)
            if (existing := _existing(request)) is not None:
                return CreatedPayout(payout=existing, coalesced=was_busy)
            return CreatedPayout(payout=_insert(request, intent, admit), coalesced=False)
    except IntegrityError:
        existing = _existing(request)
        if existing is None:
            raise
        return CreatedPayout(payout=existing, coalesced=was_busy)


def _insert(request: _PayoutRequest, intent: PaymentIntent, admit: Admit) -> Payout:
    principal = request.principal
    if intent.status != IntentStatus.SETTLED:
        raise IntentNotSettled(intent.status)
    plan = plan_payout(intent)
    payout = _as_planned(intent, plan, request.key, principal)
    if admit is not admit_all:
        admit(counted_usd(intent, plan.base_units, payout.amount_usd), payout.pk)
    transitions.initial(
        PAYOUT_LIFECYCLE, payout, actor=principal.actor, beside=lambda: postings(None, standing(payout))
    )
    if plan.rail == RailName.DIRECT:
        apply_trigger(
            payout, "recognise", actor=principal.actor, tx_hash=plan.tx_hash, paid_at=now(), next_attempt_at=None
        )
    else:
        wake_worker()
    return payout


def _as_planned(intent: PaymentIntent, plan: Plan, key: str, maker: Principal) -> Payout:
    """Why its id follows from the intent: a database that forgot it makes the same one. Source: docs/adr/0094."""
    return Payout(
        id=derived_id("payout", intent.pk, Payout.objects.filter(intent=intent).count()),
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
        less_refunds_usd=plan.less_refunds_usd,
        currency=intent.currency,
        maker=maker.maker,
        idempotency_key=key,
        created_by=maker.actor,
        next_attempt_at=now(),
    )
