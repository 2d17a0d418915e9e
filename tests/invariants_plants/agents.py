"""What agents made and people allowed: more, else, twice, or by nobody."""

from typing import Any

from core.clock import now
from mcp.models import AgentConnection, AgentEffect, ApprovalRequest, ApprovalTransition
from tests.invariants_plants.ground import Ground, change, dollars
from tests.mcp.charter.stories import connected


def _by_an_agent(ground: Ground) -> AgentConnection:
    """As if an agent had made the payout, counted as it is."""
    agent = connected(ground.shop.principal)
    change(ground.payout, created_by=agent.actor)
    _counted(ground, agent)
    return agent


def _counted(ground: Ground, agent: AgentConnection) -> None:
    AgentEffect.objects.create(
        merchant_id=agent.merchant_id, mode=agent.mode, connection=agent, tool="create_payout",
        amount_usd=ground.payout.amount_usd, subject_id=ground.payout.pk,
    )  # fmt: skip


def _approved(ground: Ground, agent: AgentConnection, actor: str = "user:1", **fields: Any) -> ApprovalRequest:
    facts: dict[str, Any] = {"tool": "create_payout", "intent": ground.kept, "amount_usd": ground.payout.amount_usd}
    facts |= {"idempotency_key": "k", "expires_at": now(), "status": "approved", "subject_id": ground.payout.pk}
    owner = {"merchant_id": agent.merchant_id, "mode": agent.mode, "connection": agent}
    made: ApprovalRequest = ApprovalRequest.objects.create(**owner | facts | fields)
    steps = (("", "ask", "pending", agent.actor), ("pending", "approve", "approved", actor))
    for before, trigger, after, who in steps:
        ApprovalTransition.objects.create(subject=made, from_status=before, trigger=trigger, to_status=after, actor=who)
    return made


def allowed_one_dollar_made_25(ground: Ground) -> list[str]:
    made = _approved(ground, _by_an_agent(ground), amount_usd=dollars("1"))
    return [f"I17 approval {made.pk} allows {dollars('1')} USD and made {ground.payout.pk} of {dollars('25')}"]


def allowed_by_nobody(ground: Ground) -> list[str]:
    agent = _by_an_agent(ground)
    made = _approved(ground, agent, actor=agent.actor)
    return [f"I17 approval {made.pk} is approved, and by nobody"]


def allowed_for_another_payment(ground: Ground) -> list[str]:
    made = _approved(ground, _by_an_agent(ground), intent=ground.settled)
    return [f"I17 approval {made.pk} is approved and made {ground.payout.pk}"]


def denied_and_made(ground: Ground) -> list[str]:
    made = _approved(ground, _by_an_agent(ground), status="denied")
    return [f"I17 approval {made.pk} is denied and made {ground.payout.pk}"]


def two_approvals_of_one_refund(ground: Ground) -> list[str]:
    """Of a refund: of a payout they may, since an intent has one for whoever asks."""
    agent = connected(ground.shop.principal)
    refund = ground.refund
    facts: dict[str, Any] = {
        "tool": "create_refund",
        "intent": refund.intent,
        "subject_id": refund.pk,
        "amount_usd": refund.amount_usd,
    }
    for key in ("k", "again"):
        _approved(ground, agent, idempotency_key=key, **facts)
    return [f"I17 2 approvals made the same {refund.pk}"]


def an_agents_deed_counted_twice(ground: Ground) -> list[str]:
    agent = _by_an_agent(ground)
    _counted(ground, agent)
    facts = ("create_payout", agent.actor, agent.merchant_id, "test", "25")
    return [_uncounted(ground, agent, [facts, facts])]


def an_agents_deed_never_counted(ground: Ground) -> list[str]:
    agent = _by_an_agent(ground)
    AgentEffect.objects.filter(connection=agent).delete()
    return [_uncounted(ground, agent, [])]


def _uncounted(ground: Ground, agent: AgentConnection, counted: list[Any]) -> str:
    made = f"I17 create_payout made {ground.payout.pk} of {dollars('25')} USD"
    return f"{made} for {agent.actor}, counted as {counted}"
