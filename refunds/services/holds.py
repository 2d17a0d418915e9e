"""Holding back what whoever made a refund may not send any more, and a person's word on it.

It stays where it is, costs no attempt, and says why in ``failure_reason``. A live refund by key to an address that
nobody knows yet waits too: a stolen key empties no account.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from chains.addresses import same_address
from chains.states import ENDED_UNPAID, TransferStatus
from chains.transfers import signing_account
from core.clock import now
from core.dispatch import nudge
from core.modes import Mode
from merchants.admission import HoldReason, Objection, objection_to
from merchants.errors import MERCHANT_SUSPENDED
from merchants.principal import Principal
from merchants.selectors import is_suspended
from payments.services.credits import network_of
from refunds.errors import RefundNotHeld
from refunds.models import Refund, RefundPolicy
from refunds.services.cancel import withdrawn
from refunds.services.create import TO_PAYER, TO_SENDER
from refunds.services.transition import WORKER, apply_trigger, locked_own_refund, locked_refund
from refunds.shares import share_of
from refunds.states import ADDRESSED, DESTINATION_UNCONFIRMED, PUBLIC_STATUS, R

HOLD_POLL = timedelta(seconds=60)
GOOD_POLL = timedelta(hours=1)
"""Where only a person ends it. Why looked at all the same: nothing that is not over is ever left without a time."""
HELD = frozenset({*HoldReason, DESTINATION_UNCONFIRMED})
"""Why a refund is held back, in the words of ``failure_reason``."""
_SWEEP = "refunds.sweep_due"


@transaction.atomic
def hold_refund(refund_id: UUID, *, actor: str = WORKER) -> bool:
    """Hold a refund back if its maker may not send it any more and nothing was begun; says whether it is held now.

    Locks: the refund, then its transfer.
    """
    refund = locked_refund(refund_id)
    return R(refund.status) in ADDRESSED and not has_started(refund) and held_back(refund, actor)


def held_back(refund: Refund, actor: str = WORKER) -> bool:
    """The same for a refund that is locked, knows its destination, and has not begun. Locks: the caller holds it."""
    objection = None
    if not refund.released_by:
        objection = objection_to(refund.created_by, refund.pk) or objection_to_destination(refund)
    objection = _objection_to_suspended(refund) or objection
    if objection is None or not withdrawn(refund, actor):
        return False
    due = now() + (GOOD_POLL if objection.is_for_good else HOLD_POLL)
    facts: dict[str, Any] = {"failure_reason": str(objection.reason), "retry_at": None, "next_attempt_at": due}
    if refund.status == R.PROCESSING:
        apply_trigger(refund, "postpone", actor=actor, reason=objection.reason, attempts=refund.attempts - 1, **facts)
    else:
        for name, value in facts.items():
            setattr(refund, name, value)
        refund.save(update_fields=list(facts))
    return True


def has_started(refund: Refund) -> bool:
    """Whether its transfer may land, or did: then the refund follows it, whatever anybody wants by now."""
    transfer = refund.transfer
    return transfer is not None and transfer.status not in (TransferStatus.NEW, *ENDED_UNPAID)


def require_held(refund: Refund) -> None:
    """Raises: RefundNotHeld for a refund that nothing holds back."""
    if R(refund.status) not in ADDRESSED or refund.failure_reason not in HELD:
        raise RefundNotHeld(PUBLIC_STATUS[R(refund.status)])


@transaction.atomic
def release_refund(principal: Principal, refund: Refund) -> Refund:
    """Let a held refund go, for good; the refund as it is then. Raises: NotFound; RefundNotHeld.

    Locks: the refund.
    """
    held = locked_own_refund(principal, refund.pk)
    require_held(held)
    held.released_by, held.failure_reason, held.next_attempt_at, held.updated_at = principal.actor, "", now(), now()
    held.save(update_fields=["released_by", "failure_reason", "next_attempt_at", "updated_at"])
    nudge(_SWEEP)
    return held


def _objection_to_suspended(refund: Refund) -> Objection | None:
    """What speaks against sending a suspended merchant's money anywhere but back to who paid it.

    Why not against that: it is the payer's, and our quarrel with the merchant is not theirs. Source: docs/adr/0096.
    """
    if refund.stray_id is not None or not is_suspended(refund.merchant_id) or _paid(refund):
        return None
    return Objection(reason=MERCHANT_SUSPENDED)


_KEY, _PERSON = "key:", "user:"


def objection_to_destination(refund: Refund) -> Objection | None:
    """What speaks against sending where a key said: only a person's word on this very row ends it.

    Why not where the merchant's own wallet signs: there a person sees the address, and no key can send.
    Locks: the caller holds the refund's lock.
    """
    if refund.mode != Mode.LIVE:
        return None
    named = refund.history.filter(trigger="address").order_by("-pk").values_list("actor", "reason").first()
    if named is None or not named[0].startswith(_KEY) or named[1] in (TO_PAYER, TO_SENDER):
        return None
    if signing_account(refund.merchant_id, refund.mode, network_of(refund.mode), refund.chain) is None:
        return None
    policy = RefundPolicy.objects.filter(merchant_id=refund.merchant_id, mode=refund.mode).first()
    if policy is not None and not policy.confirms_new_destinations:
        return None
    listed = [] if policy is None else policy.destinations
    if any(same_address(one, refund.destination) for one in listed) or _paid(refund) or _was_confirmed(refund):
        return None
    return Objection(reason=DESTINATION_UNCONFIRMED, is_for_good=True)


def _paid(refund: Refund) -> bool:
    """Whether the address paid as much of this intent. Why as much: a thief can pay a cent."""
    share = share_of(refund.intent_id, refund.destination, apart_from=refund.pk)
    return share is not None and share.paid_units - share.returned_units >= refund.base_units


def _was_confirmed(refund: Refund) -> bool:
    """Whether a person let money go there before, or named it. Why not what was paid: anybody may be a payer."""
    same = Refund.objects.filter(
        merchant_id=refund.merchant_id, mode=refund.mode, destination=refund.destination
    ).exclude(pk=refund.pk)
    by_person = Q(released_by__startswith=_PERSON) | Q(history__trigger="address", history__actor__startswith=_PERSON)
    return same.filter(by_person).exists()
