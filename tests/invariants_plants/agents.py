"""What agents made and people allowed: more, else, twice, or by nobody."""

from typing import Any

from mcp.models import AgentConnection, AgentEffect, ApprovalRequest, ApprovalTransition
from tests.invariants_plants.ground import Ground, change, dollars, now, row_of
from tests.mcp.charter.stories import connected


def _by_an_agent(ground: Ground) -> AgentConnection:
    """As if an agent had made the payout, counted as it is."""
    agent = connected(ground.shop.principal)
    change(row_of(ground.payout), created_by=agent.actor)
    _counted(ground, agent)
    return agent


def _counted(ground: Ground, agent: AgentConnection) -> None:
    AgentEffect.objects.create(
        merchant_id=agent.merchant_id,
        mode=agent.mode,
        connection=agent,
        tool="create_payout",
        amount_usd=ground.payout.amount_usd,
        subject_id=ground.payout.pk,
    )


def _approved(ground: Ground, agent: AgentConnection, actor: str = "user:1", **fields: Any) -> ApprovalRequest:
    facts = {
        "merchant_id": agent.merchant_id,
        "mode": agent.mode,
        "connection": agent,
        "tool": "create_payout",
        "intent": ground.kept,
        "amount_usd": ground.payout.amount_usd,
        "idempotency_key": "k",
        "expires_at": now(),
        "status": "approved",
        "subject_id": ground.payout.pk,
    }
    made: ApprovalRequest = ApprovalRequest.objects.create(**facts | fields)
    steps = (("", "ask", "pending", agent.actor), ("pending", "approve", "approved", actor))
    for before, trigger, after, who in steps:
        ApprovalTransition.objects.create(subject=made, from_status=before, trigger=trigger, to_status=after, actor=who)
    return made


def approved_less(ground: Ground) -> list[str]:
    made = _approved(ground, _by_an_agent(ground), amount_usd=dollars("1"))
    return [f"I17 approval {made.pk} allows {dollars('1')} USD and made {ground.payout.pk} of {dollars('25')}"]


def approved_by_nobody(ground: Ground) -> list[str]:
    agent = _by_an_agent(ground)
    made = _approved(ground, agent, actor=agent.actor)
    return [f"I17 approval {made.pk} is approved, and by nobody"]


def approved_for_another(ground: Ground) -> list[str]:
    made = _approved(ground, _by_an_agent(ground), intent=ground.settled)
    return [f"I17 approval {made.pk} is approved and made {ground.payout.pk}"]


def denied_and_made(ground: Ground) -> list[str]:
    made = _approved(ground, _by_an_agent(ground), status="denied")
    return [f"I17 approval {made.pk} is denied and made {ground.payout.pk}"]


def two_approvals_of_one(ground: Ground) -> list[str]:
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


def counted_twice(ground: Ground) -> list[str]:
    agent = _by_an_agent(ground)
    _counted(ground, agent)
    facts = ("create_payout", agent.actor, agent.merchant_id, "test", "25")
    return [_uncounted(ground, agent, [facts, facts])]


def never_counted(ground: Ground) -> list[str]:
    agent = _by_an_agent(ground)
    AgentEffect.objects.filter(connection=agent).delete()
    return [_uncounted(ground, agent, [])]


def _uncounted(ground: Ground, agent: AgentConnection, counted: list[Any]) -> str:
    made = f"I17 create_payout made {ground.payout.pk} of {dollars('25')} USD"
    return f"{made} for {agent.actor}, counted as {counted}"


PLANTS = {
    "allowed one dollar, made 25": approved_less,
    "allowed by nobody": approved_by_nobody,
    "allowed for another payment": approved_for_another,
    "denied, and made": denied_and_made,
    "two approvals of one refund": two_approvals_of_one,
    "an agent's deed counted twice": counted_twice,
    "an agent's deed never counted": never_counted,
}
