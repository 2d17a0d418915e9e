"""Changing where a merchant's payments settle. In live mode never at once, where money would go elsewhere for it.

What waits is a row: it takes effect when its delay is over, or when a second person confirms it, and can be withdrawn.
Locks, everywhere: the merchant, then the change; the profiles are written under the merchant's lock alone.
Source: docs/adr/0035; docs/adr/0046.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from chains.models import SigningAccount
from chains.registry import CHAINS, chain
from core.caller import current_client_info
from core.clock import now
from core.modes import Mode
from merchants.audit import record_audit
from merchants.models import Merchant
from merchants.principal import Principal
from payments.errors import (
    SecondPersonRequired,
    SettlementChangeWaits,
    SettlementFamilyUnknown,
    SettlementUnchanged,
)
from payments.models import SettlementChange, SettlementProfile
from payments.services.settlement import payable_settlement
from payments.services.settlement_effect import (
    DEFAULT,
    LOCK,
    apply_change,
    end_change,
    locked_waiting,
    put_into_effect,
)
from payments.services.settlement_mail import Occasion, leads_of, mail_leads
from payments.states import SETTLEMENT_CHANGE_MACHINE, SettlementChangeStatus


@dataclass(frozen=True, kw_only=True)
class _RequestedChange:
    """What somebody wants of a part, and whether it must wait."""

    part: str
    before: dict[str, Any]
    after: dict[str, Any]
    waits: bool


@transaction.atomic
def change_settlement(
    principal: Principal, chain_name: str, token: str, address: str, *, replaces: UUID | None = None
) -> SettlementChange | None:
    """Have payments of the chain's family settle there; the change that waits, or None where it holds at once.

    At once: in test mode, and where nothing is replaced, the addresses are not locked and no money waits for one.
    ``replaces`` is the waiting change that the person saw and means to end by this.
    Raises: SettlementPairUnsupported, SettlementAddressInvalid, SettlementUnchanged, SettlementChangeWaits.
    """
    wanted = payable_settlement(chain_name, token, address)
    known = chain(wanted.chain)
    assert known is not None  # noqa: S101 - refused above otherwise
    profiles = _profiles(principal)
    profile = profiles.get(known.family.value)
    requested = _RequestedChange(
        part=known.family.value,
        before={} if profile is None else {"chain": profile.chain, "token": profile.token, "address": profile.address},
        after={"chain": wanted.chain, "token": wanted.token, "address": wanted.address},
        waits=profile is not None
        or any(one.locked for one in profiles.values())
        or money_waits_for(principal, known.family.value),
    )
    return _change(principal, requested, replaces)


def money_waits_for(principal: Principal, family: str) -> bool:
    """Whether even a first address of this family waits: payouts would send there what a signing account holds.

    Why this covers settled payments too: without such an account nothing is sent on by a payout.
    Source: docs/adr/0046.
    """
    chains = [known.name for known in CHAINS if known.family.value == family]
    signing = SigningAccount.objects.filter(merchant_id=principal.merchant_id, mode=principal.mode, retired_at=None)
    return principal.mode == Mode.LIVE and signing.filter(chain__in=chains).exists()


@transaction.atomic
def change_default_family(
    principal: Principal, family: str, *, replaces: UUID | None = None
) -> SettlementChange | None:
    """Have payments that name no chain settle in this family; as ``change_settlement``.

    Why it waits too: a first address holds at once, and being the default would send it everybody's money.
    Raises: SettlementFamilyUnknown, SettlementUnchanged, SettlementChangeWaits.
    """
    profiles = _profiles(principal)
    if family not in profiles:
        raise SettlementFamilyUnknown
    before = next((one.family for one in profiles.values() if one.is_default), "")
    requested = _RequestedChange(part=DEFAULT, before={"family": before}, after={"family": family}, waits=True)
    return _change(principal, requested, replaces)


@transaction.atomic
def change_lock(principal: Principal, *, on: bool, replaces: UUID | None = None) -> SettlementChange | None:
    """Allow the profile's addresses alone, or any that a request names. Locking holds at once, unlocking waits.

    Raises: SettlementFamilyUnknown without any address, SettlementUnchanged, SettlementChangeWaits.
    """
    profiles = _profiles(principal)
    if not profiles:
        raise SettlementFamilyUnknown
    before = any(one.locked for one in profiles.values())
    requested = _RequestedChange(part=LOCK, before={"locked": before}, after={"locked": on}, waits=not on)
    return _change(principal, requested, replaces)


@transaction.atomic
def confirm_change(principal: Principal, change_id: UUID) -> SettlementChange:
    """Let a change take effect now. Only for a second person: see ``may_confirm``.

    Raises: NotFound, SettlementChangeOver, SecondPersonRequired.
    """
    change = locked_waiting(principal, change_id)
    if not may_confirm(principal, change):
        raise SecondPersonRequired
    record_audit(principal, "settlement.confirmed", change.part, before=change.before, after=change.after)
    apply_change(principal, change, Occasion.CONFIRMED, confirmed_by=principal.actor)
    return change


@transaction.atomic
def withdraw_change(principal: Principal, change_id: UUID) -> SettlementChange:
    """End a change that waits; nothing was changed by it. Raises: NotFound, SettlementChangeOver."""
    change = locked_waiting(principal, change_id)
    end_change(change, "withdraw", principal.actor)
    record_audit(principal, "settlement.withdrawn", change.part, before=change.before, after=change.after)
    mail_leads(change, Occasion.WITHDRAWN, principal.actor)
    return change


def may_confirm(principal: Principal, change: SettlementChange) -> bool:
    """Whether this is somebody who led the team when it was asked for, does so now, and did not ask.

    Why then: whoever took over one account could invite another one for this.
    """
    led = {f"user:{person}" for person in change.leads}
    leads_now = {f"user:{person.pk}" for person in leads_of(change.merchant_id)}
    return principal.actor != change.requested_by and principal.actor in led & leads_now


def _profiles(principal: Principal) -> dict[str, SettlementProfile]:
    """The merchant's profiles by family. Locks: the merchant."""
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    return {one.family: one for one in SettlementProfile.objects.visible_to(principal)}


def _change(principal: Principal, requested: _RequestedChange, replaces: UUID | None) -> SettlementChange | None:
    if requested.before == requested.after:
        raise SettlementUnchanged
    mine = SettlementChange.objects.visible_to(principal)
    waiting = mine.filter(part=requested.part, status=SettlementChangeStatus.WAITING).first()
    if waiting is not None and waiting.after == requested.after:
        return waiting  # a form sent twice
    if replaces != (None if waiting is None else waiting.pk):
        raise SettlementChangeWaits
    if waiting is not None:
        end_change(waiting, "replace", principal.actor)
        record_audit(principal, "settlement.replaced", requested.part, before=waiting.before, after=waiting.after)
    change = _new_change(principal, requested)
    if principal.mode == Mode.LIVE and requested.waits:
        change.save()
        record_audit(principal, "settlement.requested", requested.part, before=requested.before, after=requested.after)
        mail_leads(change, Occasion.REQUESTED, principal.actor)
        return change
    put_into_effect(principal, change)
    if principal.mode == Mode.LIVE:
        mail_leads(change, Occasion.AT_ONCE, principal.actor)
    return None


def _new_change(principal: Principal, requested: _RequestedChange) -> SettlementChange:
    moment = now()
    effective_at = moment + timedelta(hours=settings.SETTLEMENT_CHANGE_HOURS)
    return SettlementChange(
        merchant_id=principal.merchant_id,
        mode=principal.mode,
        status=SETTLEMENT_CHANGE_MACHINE.initial,
        part=requested.part,
        before=requested.before,
        after=requested.after,
        leads=[person.pk for person in leads_of(principal.merchant_id)],
        requested_by=principal.actor,
        requested_from=current_client_info().address,
        created_at=moment,
        effective_at=effective_at,
        next_attempt_at=effective_at,
    )
