"""What a merchant says about all its agents together: what they may send, and whether they may at all.

Why what is under way is held after the commit: holding locks payouts and refunds, and those come before policies.
"""

from dataclasses import dataclass

from django.db import transaction

from core.clock import now
from core.money import UsdAmount, optional_decimal_string
from mcp.caller import CallFacts
from mcp.models import AgentPolicy, AuditAction
from mcp.services.audit import record_event
from mcp.services.holds import hold_all_undispatched
from merchants.principal import Principal


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The most that all connections together may send. None: nothing beyond their own limits.

    Units: dollars in the last 24 hours; effects in the last hour.
    """

    per_day_usd: UsdAmount | None
    per_hour_count: int | None


def change_bounds(principal: Principal, bounds: Bounds, facts: CallFacts) -> AgentPolicy:
    """Let these bounds hold from the next call on, and for what is not sent yet."""
    with transaction.atomic():
        policy = _locked(principal)
        before = _words(policy)
        policy.per_day_usd, policy.per_hour_count = bounds.per_day_usd, bounds.per_hour_count
        policy.save(update_fields=["per_day_usd", "per_hour_count"])
        after = _words(policy)
        changes = {name: [before[name], after[name]] for name in after if before[name] != after[name]}
        if changes:
            record_event(principal, AuditAction.CHANGE, facts, actor=principal.actor, changes=changes)
    hold_all_undispatched(policy, actor=principal.actor)
    return policy


def pause_all(principal: Principal, facts: CallFacts) -> AgentPolicy:
    """Let no agent move money until a person says so; what is not sent yet is held. Again: changes nothing."""
    policy = _set_paused(principal, facts, paused=True)
    hold_all_undispatched(policy, actor=principal.actor)
    return policy


def resume_all(principal: Principal, facts: CallFacts) -> AgentPolicy:
    """Let agents move money again, within their limits. What only the pause held goes on by itself."""
    return _set_paused(principal, facts, paused=False)


def _set_paused(principal: Principal, facts: CallFacts, *, paused: bool) -> AgentPolicy:
    with transaction.atomic():
        policy = _locked(principal)
        if (policy.paused_at is not None) != paused:
            policy.paused_at = now() if paused else None
            policy.save(update_fields=["paused_at"])
            changes = {"paused": [not paused, paused]}
            record_event(principal, AuditAction.CHANGE, facts, actor=principal.actor, changes=changes)
    return policy


def _locked(principal: Principal) -> AgentPolicy:
    AgentPolicy.objects.get_or_create(merchant_id=principal.merchant_id, mode=principal.mode)
    found: AgentPolicy = AgentPolicy.objects.select_for_update().visible_to(principal).get()
    return found


def _words(policy: AgentPolicy) -> dict[str, object]:
    return {
        "per_day_usd": optional_decimal_string(policy.per_day_usd),
        "per_hour_count": policy.per_hour_count,
    }
