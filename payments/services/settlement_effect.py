"""A change of where payments settle takes effect: by a second person's word, or by the sweep when its delay is over.

The row is the truth: what it says is written in the transaction that ends it, under the merchant's lock, once.
"""

import logging
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.dispatch import Signal

from core.clock import now
from core.errors import NotFound
from core.leases import take_due, time_limit
from core.modes import Mode
from core.sweeps import Claim, Sweep
from core.transitions import locked, move
from merchants.audit import record_audit
from merchants.models import Merchant
from merchants.principal import Principal
from payments.errors import SettlementChangeOver
from payments.models import SettlementChange, SettlementProfile
from payments.services.settlement_mail import Occasion, mail_leads
from payments.services.transition import WORKER
from payments.states import SETTLEMENT_CHANGE_MACHINE, SettlementChangeStatus

logger = logging.getLogger("causeway.payments")

DEFAULT, LOCK = "default", "lock"
"""Parts of the settings that belong to no chain family."""
BATCH = 50
SWEEP_SECONDS = 5


address_changed = Signal()
"""Sent with ``merchant_id`` and ``mode`` once another address is committed. What a receiver fails to do is logged, and
not undone. Why a signal: payments cannot know the apps above.
"""


def sweep_settlement_changes(seconds: int = SWEEP_SECONDS) -> int:
    """Let what is due take effect, for about so many seconds; returns how many."""
    return SWEEP.run(time_limit(seconds))


def locked_waiting(principal: Principal, change_id: UUID) -> SettlementChange:
    """The principal's change, still waiting. Locks: the merchant, then the change."""
    mine = SettlementChange.objects.visible_to(principal)
    if not mine.filter(pk=change_id).exists():
        raise NotFound("settlement_change")
    Merchant.objects.select_for_update(no_key=True).get(pk=principal.merchant_id)
    change = locked(mine, pk=change_id)
    if change.status != SettlementChangeStatus.WAITING:
        raise SettlementChangeOver(change.status)
    return change


def apply_change(principal: Principal, change: SettlementChange, occasion: Occasion, *, confirmed_by: str = "") -> None:
    """End a change by doing what it says, and tell of it. Locks: the caller holds the merchant's and the change's."""
    end_change(change, "take_effect", principal.actor, confirmed_by=confirmed_by)
    put_into_effect(principal, change)
    mail_leads(change, occasion, principal.actor)


def end_change(change: SettlementChange, trigger: str, actor: str, **facts: Any) -> None:
    """It waits no more. Locks: as ``apply_change``."""
    ending = {"ended_by": actor, "ended_at": now(), "next_attempt_at": None}
    move(SETTLEMENT_CHANGE_MACHINE, change, trigger, ending | facts)


def put_into_effect(principal: Principal, change: SettlementChange) -> None:
    """Write what the change says. Intents that exist keep their address. Locks: the merchant's, held."""
    mine = SettlementProfile.objects.visible_to(principal)
    if change.part == LOCK:
        mine.update(locked=change.after["locked"])
    elif change.part == DEFAULT:
        mine.update(is_default=False)
        mine.filter(family=change.after["family"]).update(is_default=True)
    else:
        _write_profile(principal, change.part, change.after)
        of = {"merchant_id": principal.merchant_id, "mode": str(principal.mode)}
        transaction.on_commit(partial(address_changed.send, SettlementProfile, **of), robust=True)
    record_audit(principal, "settlement.changed", change.part, before=change.before, after=change.after)


def _write_profile(principal: Principal, family: str, after: dict[str, Any]) -> None:
    """Why another address is unproven again: what was signed was signed with the old one.

    On another chain the same address may be another contract.
    """
    mine = SettlementProfile.objects.visible_to(principal)
    profile = mine.filter(family=family).first()
    if profile is None:
        profile = SettlementProfile(merchant_id=principal.merchant_id, mode=principal.mode, family=family)
        profile.is_default = not mine.filter(is_default=True).exists()
        profile.locked = mine.filter(locked=True).exists()
    if profile.address != after["address"] or profile.proven_on not in {"", after["chain"]}:
        profile.proven_at, profile.proven_on = None, ""
    profile.chain, profile.token, profile.address = after["chain"], after["token"], after["address"]
    profile.save()


def _apply_due(claim: Claim[UUID]) -> None:
    found = SettlementChange.objects.get(pk=claim.key)
    principal = Principal(merchant_id=found.merchant_id, mode=Mode(found.mode), actor=WORKER)
    try:
        with transaction.atomic():
            change = locked_waiting(principal, claim.key)
            if change.effective_at <= now():
                apply_change(principal, change, Occasion.EFFECTIVE)
    except SettlementChangeOver:
        logger.info("settlement change %s ended before the sweep came to it", claim.key)


SWEEP = Sweep[UUID](
    model=SettlementChange,
    take=lambda until: take_due(SettlementChange.objects.all(), most=BATCH, until=until),
    advance=_apply_due,
    lease=timedelta(seconds=30),
)
