"""Creating a refund: its share of what arrived is decided, and reserved, under the intent's lock."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from core import transitions
from core.money import UsdAmount
from merchants.admission import Admit, admit_all
from merchants.errors import IdempotencyKeyReused
from merchants.principal import Principal
from payments.models import PaymentIntent
from payments.selectors import visible_intent
from payments.services.refund import received_by, refuse_unrefundable
from payments.services.transition import locked_intent
from refunds.errors import DestinationInvalid, RefundExceedsBalance, RefundTooSmall
from refunds.models import Refund, RefundPolicy
from refunds.selectors import balance_of, proven_wallet
from refunds.services.destination import checked_destination, send_to
from refunds.services.transition import REFUND_LIFECYCLE
from refunds.states import MISSING_DESTINATION


@dataclass(frozen=True, kw_only=True)
class NewRefund:
    """A merchant's wish, already checked for form. ``fingerprint`` tells a repeat under the key from another wish."""

    intent_id: UUID
    amount_usd: UsdAmount
    destination: str = ""
    reason: str = ""
    idempotency_key: str = ""
    fingerprint: str = ""


def refund_made_before(principal: Principal, new: NewRefund) -> Refund | None:
    """What this key already made, however long ago. Raises: IdempotencyKeyReused where it was asked for otherwise.

    Source: rulings, Idempotency (refund keys are unique for ever).
    """
    if not new.idempotency_key:
        return None
    mine = Refund.objects.visible_to(principal)
    earlier: Refund | None = mine.filter(idempotency_key=new.idempotency_key).first()
    if earlier is not None and earlier.fingerprint != new.fingerprint:
        raise IdempotencyKeyReused
    return earlier


@transaction.atomic
def create_refund(principal: Principal, new: NewRefund, *, admit: Admit = admit_all) -> Refund:
    """Create a refund of the principal's intent; with a destination it is sent at once, else it waits for one.

    ``admit`` is asked in the transaction that creates; what it raises undoes everything.

    Raises: NotFound; DestinationInvalid; IntentNotSettled; RefundExceedsBalance; RefundTooSmall.
    Locks: the intent, so that refunds that are made at once never exceed what arrived.
    """
    seen = visible_intent(principal, new.intent_id)
    destination = checked_destination(seen.settlement_chain, new.destination) if new.destination else ""
    intent = locked_intent(seen.pk)
    refuse_unrefundable(intent)
    refund = _unsaved(principal, intent, new)
    admit(refund.amount_usd, refund.pk)
    refund.destination, policy = (destination, "") if destination else (_by_policy(intent), "to the paying wallet")
    refund.failure_reason = "" if refund.destination else MISSING_DESTINATION
    transitions.initial(REFUND_LIFECYCLE, refund, actor=principal.actor)
    if refund.destination:
        send_to(refund, refund.destination, actor=principal.actor, reason=policy)
    else:
        transitions.announce_only(REFUND_LIFECYCLE, refund, "refund.missing_destination")
    return refund


@transaction.atomic
def create_refund_once(principal: Principal, new: NewRefund) -> Refund:
    """The refund that the wish's key made before, or a new one, however many ask at once.

    Raises: as ``create_refund``; IdempotencyKeyReused. Locks: the intent, before the key is looked up.
    """
    locked_intent(visible_intent(principal, new.intent_id).pk)
    return refund_made_before(principal, new) or create_refund(principal, new)


def drafted_refund(principal: Principal, new: NewRefund) -> Refund:
    """The refund as it would be created now. Nothing is written, and nothing held: creating it may still be refused.

    Raises: as ``create_refund``.
    """
    intent = visible_intent(principal, new.intent_id)
    destination = checked_destination(intent.settlement_chain, new.destination) if new.destination else ""
    refuse_unrefundable(intent)
    refund = _unsaved(principal, intent, new)
    refund.destination = destination or _by_policy(intent)
    refund.failure_reason = "" if refund.destination else MISSING_DESTINATION
    return refund


def refundable_usd(intent: PaymentIntent) -> UsdAmount:
    """What could be asked for at this moment; without a lock it may be gone in the next."""
    received = received_by(intent)
    return balance_of(intent, received.usd, received.base_units).refundable_usd


def _unsaved(principal: Principal, intent: PaymentIntent, new: NewRefund) -> Refund:
    received = received_by(intent)
    balance = balance_of(intent, received.usd, received.base_units)
    if new.amount_usd > balance.refundable_usd:
        raise RefundExceedsBalance(new.amount_usd, balance.refundable_usd)
    units = balance.units_for(new.amount_usd)
    if units <= 0:
        raise RefundTooSmall
    return Refund(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        intent=intent,
        amount_usd=new.amount_usd,
        base_units=units,
        chain=intent.settlement_chain,
        token=intent.settlement_token,
        token_address=intent.settlement_token_address,
        token_decimals=intent.settlement_decimals,
        reason=new.reason,
        idempotency_key=new.idempotency_key,
        fingerprint=new.fingerprint,
        created_by=principal.actor,
    )


def _by_policy(intent: PaymentIntent) -> str:
    """The paying wallet where the merchant wants that and the wallet is proven; empty otherwise.

    Source: rulings, Destination.
    """
    wanted = RefundPolicy.objects.filter(merchant_id=intent.merchant_id, mode=intent.mode, to_paying_wallet=True)
    wallet = proven_wallet(intent, intent.settlement_chain) if wanted.exists() else None
    if wallet is None:
        return ""
    try:
        return checked_destination(intent.settlement_chain, wallet)
    except DestinationInvalid:
        return ""
