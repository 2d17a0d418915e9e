"""What agents made and nobody has sent yet: judged again by the charter as it is now.

Source: docs/guides/agents.md, Limits and approvals.
"""

from uuid import UUID

from django.db.models import Q

from mcp.errors import LimitExceeded
from mcp.models import AgentConnection, AgentEffect, AgentPolicy
from mcp.services.lenders import lost_right
from mcp.services.limits import refuse_beyond
from merchants.admission import HoldReason, Objection
from payouts.models import Payout
from payouts.services import hold_back
from payouts.states import PAYOUT_MACHINE
from refunds.models import Refund
from refunds.services.holds import hold_refund
from refunds.states import ADDRESSED

AGENT = "agent"


def objection_to_effect(subject_id: UUID) -> Objection | None:
    """What speaks against sending what an agent made: its connection's end, a lender who could not lend it any more,
    a pause, or limits lowered below it.

    A connection that merely ran out is no objection: it was in force when this was let through. Nor is a lower
    threshold. What has no effect on record has lost its connection.
    """
    effect = AgentEffect.objects.select_related("connection").filter(subject_id=subject_id).first()
    if effect is None or effect.connection.revoked_at is not None or lost_right(effect.connection):
        return Objection(reason=HoldReason.AGENT_REVOKED, is_for_good=True)
    policy = AgentPolicy.objects.filter(merchant_id=effect.merchant_id, mode=effect.mode).first()
    if effect.connection.paused_at is not None or (policy is not None and policy.paused_at is not None):
        return Objection(reason=HoldReason.AGENTS_PAUSED)
    try:
        refuse_beyond(effect.connection, policy, effect.amount_usd, effect.created_at, before=effect)
    except LimitExceeded:
        return Objection(reason=HoldReason.AGENT_OVER_LIMIT)
    return None


def hold_undispatched(connection: AgentConnection, *, actor: str) -> int:
    """Hold back at once what this connection made and nobody has sent; returns how many.

    Call it once the revocation, pause or lower limit is committed. What a worker takes up first is asked there.
    """
    return _hold(connection.merchant_id, connection.mode, Q(created_by=connection.actor), actor)


def hold_all_undispatched(policy: AgentPolicy, *, actor: str) -> int:
    """The same for all agents of a merchant in a mode."""
    return _hold(policy.merchant_id, policy.mode, Q(created_by__startswith=f"{AGENT}:"), actor)


def _hold(merchant_id: int, mode: str, theirs: Q, actor: str) -> int:
    payouts = Payout.objects.filter(theirs, merchant_id=merchant_id, mode=mode, released_by="")
    refunds = Refund.objects.filter(theirs, merchant_id=merchant_id, mode=mode, released_by="")
    waiting = payouts.exclude(status__in=PAYOUT_MACHINE.terminal)
    held = sum(hold_back(pk, actor=actor) for pk in list(waiting.values_list("pk", flat=True)))
    addressed = refunds.filter(status__in=ADDRESSED)
    return held + sum(hold_refund(pk, actor=actor) for pk in list(addressed.values_list("pk", flat=True)))
