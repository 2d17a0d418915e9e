"""I17: what an agent made was counted, once and as it is; what was counted exists; nothing waits that was made."""

from collections.abc import Iterator, Sequence
from typing import Any

from config.invariants.scope import Scope
from mcp.models import AgentConnection, AgentEffect, ApprovalRequest
from payouts.models import Payout
from refunds.models import Refund

MADE: tuple[tuple[str, Any], ...] = (("create_refund", Refund), ("create_payout", Payout))
AGENT = "agent:"


def agents_deeds_are_counted(scope: Scope) -> Iterator[str]:
    """I17: each refund and payout that a living connection made has one effect of it, of that amount, and no other."""
    for tool, model in MADE:
        for batch in scope.batches(model):
            yield from _uncounted(tool, [row for row in batch if row.created_by.startswith(AGENT)])


def _uncounted(tool: str, made: Sequence[Any]) -> Iterator[str]:
    makers = {row.created_by.removeprefix(AGENT) for row in made}
    living = AgentConnection.objects.filter(pk__in=[int(maker) for maker in makers if maker.isdigit()])
    actors = {connection.actor for connection in living}
    effects = AgentEffect.objects.filter(subject_id__in=[row.pk for row in made]).select_related("connection")
    counted = [(one.subject_id, _facts(one.tool, one.connection.actor, one)) for one in effects]
    for row in made:
        found = [facts for subject_id, facts in counted if subject_id == row.pk]
        if row.created_by in actors and found != [_facts(tool, row.created_by, row)]:
            yield f"I17 {tool} made {row.pk} of {row.amount_usd} USD for {row.created_by}, counted as {found}"


def _facts(tool: str, actor: str, row: Any) -> tuple[object, ...]:
    return tool, actor, row.merchant_id, row.mode, str(row.amount_usd.normalize())


def counted_deeds_exist(scope: Scope) -> Iterator[str]:
    """I17: what was counted exists."""
    for batch in scope.batches(AgentEffect):
        for tool, model in MADE:
            mine = [effect for effect in batch if effect.tool == tool]
            there = set(
                model._default_manager.filter(pk__in=[one.subject_id for one in mine]).values_list("pk", flat=True)
            )
            yield from (f"I17 effect {one.pk} is of nothing that exists" for one in mine if one.subject_id not in there)


def approvals_made_what_they_allow(scope: Scope) -> Iterator[str]:
    """I17: what a person allowed exists for its intent and sends no more; what nobody allowed made nothing."""
    for batch in scope.batches(ApprovalRequest):
        for tool, model in MADE:
            mine = [one for one in batch if one.tool == tool]
            there = model._default_manager.in_bulk([one.subject_id for one in mine if one.subject_id])
            for one in mine:
                if not _is_kept(one, there.get(one.subject_id)):
                    yield f"I17 approval {one.pk} is {one.status} and made {one.subject_id}"


def _is_kept(request: ApprovalRequest, subject: Any) -> bool:
    if request.status != "approved":
        return request.subject_id is None
    return subject is not None and subject.intent_id == request.intent_id
