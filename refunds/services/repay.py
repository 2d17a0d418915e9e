"""Repaying what several wallets paid in one act: a refund for each, of what it did not get back yet; all or none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from django.db import transaction

from core.ids import derived_id
from core.money import ZERO_USD, BaseUnits, UsdAmount, usd
from merchants.errors import IdempotencyKeyReused
from merchants.principal import Principal
from payments.models import PaymentIntent
from payments.selectors import visible_intent
from payments.services.balance import Sum, balance
from payments.services.refund import refuse_unrefundable
from payments.services.transition import locked_intent
from refunds.errors import NoPayerToRepay, SharesExceedBalance
from refunds.models import Refund
from refunds.services.cancel import cancel_refund
from refunds.services.create import (
    TO_PAYER,
    NewRefund,
    begin_refund,
    payable,
    put_under_key,
    refund_made_before,
    unsaved_refund,
)
from refunds.shares import MOST_SHOWN, Share, shares

SMALLEST_REPAID = usd("0.01")
"""What is worth less is sent back only when a person asks for it. Why: its transfer would cost more."""


@dataclass(frozen=True, kw_only=True)
class Repayment:
    """What one wallet gets back in the act."""

    share: Share
    destination: str
    amount_usd: UsdAmount
    base_units: BaseUnits


@dataclass(frozen=True, kw_only=True)
class RepayRequest:
    """A merchant's request to repay an intent's payers. ``instead_of`` waits for an address, and is cancelled with it.

    ``fingerprint`` tells a repeat under the key from another request.
    """

    intent_id: UUID
    reason: str = ""
    idempotency_key: str = ""
    fingerprint: str = ""
    instead_of: UUID | None = None


def repaid_before(principal: Principal, request: RepayRequest) -> list[Refund]:
    """The refunds that this key already made, however long ago. Raises: IdempotencyKeyReused."""
    key = NewRefund(
        intent_id=request.intent_id,
        amount_usd=ZERO_USD,
        idempotency_key=request.idempotency_key,
        fingerprint=request.fingerprint,
    )
    first = refund_made_before(principal, key)
    if first is None:
        return []
    if first.act is None:
        raise IdempotencyKeyReused
    return list(Refund.objects.visible_to(principal).filter(act=first.act).order_by("-base_units", "pk"))


@transaction.atomic
def repay_payers(principal: Principal, request: RepayRequest) -> list[Refund]:
    """Send each wallet that provably paid what it did not get back yet; the refunds, or those that the key made before.

    Raises: NotFound; IntentNotSettled; NoPayerToRepay; SharesExceedBalance; RefundNotCancellable;
    IdempotencyKeyReused; and then nothing is changed.
    Locks: the intent, so that refunds that are made at once never exceed what arrived.
    """
    intent = locked_intent(visible_intent(principal, request.intent_id).pk)
    if earlier := repaid_before(principal, request):
        return earlier
    refuse_unrefundable(intent)
    if request.instead_of is not None:
        cancel_refund(principal, Refund.objects.visible_to(principal).get(pk=request.instead_of, intent=intent))
    planned = repayments(intent)
    if not planned:
        raise NoPayerToRepay
    available = balance(intent).available
    refuse_beyond(available, planned)
    act, made = uuid4(), []
    for place, one in enumerate(_to_the_last(available, planned)):
        refund = unsaved_refund(principal, intent, one.amount_usd, one.base_units, reason=request.reason)
        refund.act = act
        if place == 0:
            put_under_key(refund, request.idempotency_key, request.fingerprint)
        elif request.idempotency_key:
            refund.id = derived_id("refund", intent.pk, refund.maker, request.idempotency_key, one.share.wallet)
        begin_refund(refund, one.destination, reason=TO_PAYER)
        made.append(refund)
    return made


def repayments(intent: PaymentIntent) -> list[Repayment]:
    """What the act would send, most first: to wallets that can receive on the intent's chain, and at most to so many.

    Why not more: each is a transfer with a fee of its own, and anybody can send dust. Another act takes the rest.
    """
    found = []
    for share in shares(intent.pk):
        is_there = share.unreturned_usd >= SMALLEST_REPAID and share.may_receive_on(intent.settlement_chain)
        destination = payable(intent.settlement_chain, share.wallet) if is_there else ""
        if destination:
            found.append(
                Repayment(
                    share=share,
                    destination=destination,
                    amount_usd=share.unreturned_usd,
                    base_units=share.unreturned_units,
                )
            )
    return found[:MOST_SHOWN]


def refuse_beyond(available: Sum, planned: Sequence[Repayment]) -> None:
    """Refuse what is not there any more: it went elsewhere, or another refund holds it. Nobody's share is cut down.

    Raises: SharesExceedBalance. Why by units: each refund cut some off, so dollars of what is left of them may be a
    little more than its own.
    """
    units, dollars = sum(one.base_units for one in planned), sum((one.amount_usd for one in planned), ZERO_USD)
    if units > available.units or dollars - planned[0].amount_usd >= available.usd:
        raise SharesExceedBalance(UsdAmount(dollars), available.usd)


def _to_the_last(available: Sum, planned: Sequence[Repayment]) -> list[Repayment]:
    """The same, the first with the dollars that rounding makes: none too many, and all of them with all units."""
    left = available.usd - sum(one.amount_usd for one in planned)
    is_all = sum(one.base_units for one in planned) == available.units
    first = planned[0]
    if left < 0 or is_all:
        first = replace(first, amount_usd=UsdAmount(first.amount_usd + left))
    return [first, *planned[1:]]
