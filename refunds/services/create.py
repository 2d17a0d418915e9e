"""Creating a refund: its share of what arrived is decided, and reserved, under the intent's lock."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from core import transitions
from core.ids import derived_id
from core.money import BaseUnits, UsdAmount
from ledger.services import postings
from merchants.admission import Admit, admit_all
from merchants.errors import IdempotencyKeyReused
from merchants.principal import Principal
from payments.models import PaymentIntent
from payments.selectors import visible_intent
from payments.services.balance import Sum, balance, note_returned
from payments.services.refund import refuse_unrefundable
from payments.services.transition import locked_intent
from payments.services.worth import counted_usd
from refunds.errors import DestinationInvalid, RefundExceedsBalance, RefundTooSmall
from refunds.models import Refund, RefundPolicy
from refunds.selectors import returned_from
from refunds.services.booking import standing
from refunds.services.destination import checked_destination, send_to
from refunds.services.transition import REFUND_LIFECYCLE
from refunds.shares import payer_for, shares, sole_payer
from refunds.states import MISSING_DESTINATION

TO_PAYER = "to the paying wallet"
"""The reason in the history of a refund whose destination nobody named."""
TO_SENDER = "to who sent the stray"
"""The same where it gives a stray back."""


@dataclass(frozen=True, kw_only=True)
class NewRefund:
    """A merchant's wish, already checked for form. ``fingerprint`` tells a repeat under the key from another wish.

    ``from_other_funds``: the merchant's explicit word that what was paid out already may be sent back from elsewhere.
    ``stray_id``: the stray that it gives back in kind, and then no dollars.
    """

    intent_id: UUID
    amount_usd: UsdAmount
    destination: str = ""
    reason: str = ""
    from_other_funds: bool = False
    stray_id: UUID | None = None
    idempotency_key: str = ""
    fingerprint: str = ""


def refund_made_before(principal: Principal, new: NewRefund) -> Refund | None:
    """What this maker's key already made, however long ago. Raises: IdempotencyKeyReused where it stood for another
    wish. Source: docs/adr/0047 (keys of refunds are unique for ever, for each maker).
    """
    if not new.idempotency_key:
        return None
    mine = Refund.objects.visible_to(principal).filter(maker=principal.maker)
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
    if admit is not admit_all:
        admit(counted_usd(intent, BaseUnits(refund.base_units), refund.amount_usd), refund.pk)
    begin_refund(refund, destination or by_policy(intent, refund), reason="" if destination else TO_PAYER)
    return refund


def begin_refund(refund: Refund, destination: str, *, reason: str = "") -> None:
    """Write a new refund, and send it to a checked destination; without one it waits for it.

    Locks: the caller holds the intent's lock.
    """
    refund.destination = destination
    refund.failure_reason = "" if destination else MISSING_DESTINATION
    transitions.initial(
        REFUND_LIFECYCLE,
        refund,
        actor=refund.created_by,
        beside=lambda: postings(None, standing(refund)),
    )
    note_returned(refund.intent, returned_from(refund.intent))
    if destination:
        send_to(refund, destination, actor=refund.created_by, reason=reason)
    else:
        transitions.announce_only(REFUND_LIFECYCLE, refund, "refund.missing_destination")


@transaction.atomic
def create_refund_once(principal: Principal, new: NewRefund, *, admit: Admit = admit_all) -> Refund:
    """The refund that the wish's key made before, or a new one, however many ask at once.

    ``admit`` is asked about what is really new.
    Raises: as ``create_refund``; IdempotencyKeyReused. Locks: the intent, before the key is looked up.
    """
    locked_intent(visible_intent(principal, new.intent_id).pk)
    return refund_made_before(principal, new) or create_refund(principal, new, admit=admit)


def drafted_refund(principal: Principal, new: NewRefund) -> Refund:
    """The refund as it would be created now. Nothing is written, and nothing held: creating it may still be refused.

    Raises: as ``create_refund``.
    """
    intent = visible_intent(principal, new.intent_id)
    destination = checked_destination(intent.settlement_chain, new.destination) if new.destination else ""
    refuse_unrefundable(intent)
    refund = _unsaved(principal, intent, new)
    refund.destination = destination or by_policy(intent, refund)
    refund.failure_reason = "" if refund.destination else MISSING_DESTINATION
    return refund


def refundable_usd(intent: PaymentIntent) -> UsdAmount:
    """What could be asked for at this moment; without a lock it may be gone in the next."""
    return balance(intent).refundable_usd()


def paid_out_usd(intent: PaymentIntent) -> UsdAmount:
    """What could be asked for besides, from other funds, since payouts took it."""
    held = balance(intent)
    return UsdAmount(held.refundable_usd(from_other_funds=True) - held.refundable_usd())


def suggested_payer(intent: PaymentIntent, amount_usd: UsdAmount) -> str:
    """The one wallet that paid at least so much of what is left, on an address of the intent's chain; else empty."""
    held = balance(intent)
    units = held.units_for(UsdAmount(min(amount_usd, held.available.usd))) if held.available.usd else BaseUnits(0)
    return sole_payer(shares(intent.pk), intent.settlement_chain, units) if units else ""


def _unsaved(principal: Principal, intent: PaymentIntent, new: NewRefund) -> Refund:
    held = balance(intent)
    refundable = held.refundable_usd(from_other_funds=new.from_other_funds)
    if new.amount_usd > refundable:
        raise RefundExceedsBalance(new.amount_usd, refundable, held.paid_out.usd)
    units = held.units_for(new.amount_usd, from_other_funds=new.from_other_funds)
    if units <= 0:
        raise RefundTooSmall
    other = Sum(usd=new.amount_usd, units=units).less(held.available)
    refund = unsaved_refund(principal, intent, new.amount_usd, units, reason=new.reason)
    put_under_key(refund, new.idempotency_key, new.fingerprint)
    refund.other_funds_usd, refund.other_funds_units = other.usd, other.units
    return refund


def put_under_key(refund: Refund, key: str, fingerprint: str) -> None:
    """Have an unsaved refund made under its maker's key, if there is one; its id then follows from that.

    Why: whoever asks a database that forgot it once more gets the same one, known to receivers and to its chain. Keys
    of refunds are unique for ever, for each maker. Source: docs/adr/0094; docs/adr/0047.
    """
    refund.idempotency_key, refund.fingerprint = key, fingerprint
    if key:
        refund.id = derived_id("refund", refund.intent_id, refund.maker, key)


def unsaved_refund(
    principal: Principal, intent: PaymentIntent, amount_usd: UsdAmount, units: BaseUnits, *, reason: str
) -> Refund:
    """A refund over so much of an intent, in what it was settled in. The caller has made sure that so much is left."""
    return Refund(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        intent=intent,
        amount_usd=amount_usd,
        base_units=units,
        chain=intent.settlement_chain,
        token=intent.settlement_token,
        token_address=intent.settlement_token_address,
        token_decimals=intent.settlement_decimals,
        reason=reason,
        maker=principal.maker,
        created_by=principal.actor,
    )


def by_policy(intent: PaymentIntent, refund: Refund) -> str:
    """Where an unsaved refund goes by itself: to who paid it, where the merchant wants that; else empty.

    Source: docs/adr/0043.
    """
    wanted = RefundPolicy.objects.filter(merchant_id=intent.merchant_id, mode=intent.mode, to_paying_wallet=True)
    return payable(refund.chain, payer_for(refund, shares(intent.pk))) if wanted.exists() else ""


def payable(chain_name: str, wallet: str) -> str:
    """The wallet as a destination on this chain; empty where it can be none."""
    try:
        return checked_destination(chain_name, wallet) if wallet else ""
    except DestinationInvalid:
        return ""
