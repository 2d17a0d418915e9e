"""Payments that still settle at an address that was given up: found, and cancelled in one act where nobody paid them.

Source: docs/adr/0046 (intents keep their address, the page of a change offers to end them).
"""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from chains.registry import CHAINS
from core.errors import NotFound, ServiceError
from merchants.audit import record_audit
from merchants.principal import Principal
from payments.models import PaymentIntent, SettlementChange, SettlementProfile
from payments.services.cancel import cancel_intent
from payments.states import UNPAID, IntentStatus, SettlementChangeStatus

MOST_AT_ONCE = 200
"""Payments of one act. Why a bound: a person waits for the page; the next press takes the next ones."""
_UNDER_WAY = (IntentStatus.EXECUTING, IntentStatus.PARTIALLY_FILLED)


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What one act did. ``stayed``: money was on its way for them by then."""

    cancelled: int
    stayed: list[UUID]


def given_up_address(change: SettlementChange) -> str:
    """The address that a change took payments away from; empty where it took none, or they have come back to it."""
    old = str(change.before.get("address", ""))
    if change.status != SettlementChangeStatus.IN_EFFECT or not old or old == change.after.get("address"):
        return ""
    profiles = SettlementProfile.objects.filter(merchant_id=change.merchant_id, mode=change.mode, family=change.part)
    return "" if profiles.filter(address=old).exists() else old


def unpaid_at_old_address(change: SettlementChange) -> "QuerySet[PaymentIntent]":
    """Open payments that settle there and that nobody has paid anything of."""
    return _at_old_address(change).filter(status__in=UNPAID, received_usd=0)


def paid_at_old_address(change: SettlementChange) -> "QuerySet[PaymentIntent]":
    """Those that money is on its way for, or came for: they stay."""
    return _at_old_address(change).filter(status__in=_UNDER_WAY)


def cancel_at_old_address(principal: Principal, change_id: UUID) -> Ended:
    """Cancel what nobody has paid of it, oldest first, at most ``MOST_AT_ONCE``.

    Raises: NotFound. Locks: each intent by itself, so a signature already recorded wins.
    """
    change = SettlementChange.objects.visible_to(principal).filter(pk=change_id).first()
    if change is None:
        raise NotFound("settlement_change")
    cancelled, stayed = 0, []
    for intent_id in list(
        unpaid_at_old_address(change).order_by("created_at", "pk").values_list("pk", flat=True)[:MOST_AT_ONCE]
    ):
        try:
            cancel_intent(principal, intent_id)
            cancelled += 1
        except ServiceError:
            stayed.append(intent_id)
    if cancelled:
        after = {"cancelled": cancelled, "stayed": len(stayed), "address": given_up_address(change)}
        record_audit(principal, "settlement.open_cancelled", change.part, after=after)
    return Ended(cancelled=cancelled, stayed=stayed)


def _at_old_address(change: SettlementChange) -> "QuerySet[PaymentIntent]":
    chains = [known.name for known in CHAINS if known.family.value == change.part]
    theirs = PaymentIntent.objects.filter(merchant_id=change.merchant_id, mode=change.mode)
    old = given_up_address(change)
    return theirs.filter(settlement_address=old, settlement_chain__in=chains) if old else theirs.none()
