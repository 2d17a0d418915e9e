"""I17: what an agent made was counted, once and as it is; what was counted exists; nothing waits that was made."""

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from mcp.models import AgentConnection, AgentEffect, ApprovalRequest, ApprovalTransition
from operations.invariants.scope import Scope
from payouts.models import Payout
from refunds.models import Refund

MADE: tuple[tuple[str, Any], ...] = (("create_refund", Refund), ("create_payout", Payout))
AGENT, PERSON = "agent:", "user:"
READDRESSED = "destination_replaced"
"""The reason in a payout's history. Source: docs/adr/0046."""


def agent_actions_are_counted(scope: Scope) -> Iterator[str]:
    """I17: each refund and payout that a living connection made has one effect of it, of that amount, and no other.

    Or of more in live mode, where a coin was worth more than when its rate was frozen.
    """
    for tool, model in MADE:
        for batch in scope.batches(model):
            yield from _uncounted(tool, [row for row in batch if row.created_by.startswith(AGENT)])


def _uncounted(tool: str, made: Sequence[Any]) -> Iterator[str]:
    makers = {row.created_by.removeprefix(AGENT) for row in made}
    living = AgentConnection.objects.filter(pk__in=[int(maker) for maker in makers if maker.isdigit()])
    actors = {connection.actor for connection in living}
    effects = AgentEffect.objects.filter(subject_id__in=[row.pk for row in made]).select_related("connection")
    for row in made:
        mine = [one for one in effects if one.subject_id == row.pk]
        found = [_facts(one.tool, one.connection.actor, one, _counted(one, row)) for one in mine]
        if row.created_by in actors and found != [_facts(tool, row.created_by, row, row.amount_usd)]:
            yield f"I17 {tool} made {row.pk} of {row.amount_usd} USD for {row.created_by}, counted as {found}"


def _facts(tool: str, actor: str, row: Any, amount: Decimal) -> tuple[object, ...]:
    return tool, actor, row.merchant_id, row.mode, str(amount.normalize())


def _counted(effect: AgentEffect, row: Any) -> Decimal:
    is_more = effect.mode == "live" and effect.amount_usd > row.amount_usd
    return Decimal(row.amount_usd if is_more else effect.amount_usd)


def counted_actions_exist(scope: Scope) -> Iterator[str]:
    """I17: what was counted exists."""
    for batch in scope.batches(AgentEffect):
        for tool, model in MADE:
            mine = [effect for effect in batch if effect.tool == tool]
            there = set(
                model._default_manager.filter(pk__in=[one.subject_id for one in mine]).values_list("pk", flat=True)
            )
            yield from (f"I17 effect {one.pk} is of nothing that exists" for one in mine if one.subject_id not in there)


def approvals_made_what_they_allow(scope: Scope) -> Iterator[str]:
    """I17: what a person allowed exists for its intent and sends no more; what nobody allowed made nothing.

    Two that asked for an intent's payout may have got the same one; a refund is each one's own.
    """
    for batch in scope.batches(ApprovalRequest):
        approved = ApprovalTransition.objects.filter(subject__in=batch, to_status="approved", actor__startswith=PERSON)
        persons = set(approved.values_list("subject_id", flat=True))
        for tool, model in MADE:
            mine = [one for one in batch if one.tool == tool]
            there = model._default_manager.in_bulk([one.subject_id for one in mine if one.subject_id])
            for one in mine:
                yield from _not_kept(one, there.get(one.subject_id))
                if one.status == "approved" and one.pk not in persons:
                    yield f"I17 approval {one.pk} is approved, and by nobody"
        yield from _made_twice(batch)


def _made_twice(batch: Sequence[ApprovalRequest]) -> Iterator[str]:
    """Why of the same payments: what an approval made is of its payment, or ``_not_kept`` says so."""
    made = ApprovalRequest.objects.filter(
        intent_id__in={one.intent_id for one in batch}, subject_id__isnull=False, tool="create_refund"
    )
    mine, times = {one.subject_id for one in batch}, Counter(made.values_list("subject_id", flat=True))
    for subject_id, count in times.items():
        if subject_id in mine and count > 1:
            yield f"I17 {count} approvals made the same {subject_id}"


def _not_kept(request: ApprovalRequest, subject: Any) -> Iterator[str]:
    if request.status != "approved":
        if request.subject_id is not None:
            yield f"I17 approval {request.pk} is {request.status} and made {request.subject_id}"
    elif subject is None or subject.intent_id != request.intent_id:
        yield f"I17 approval {request.pk} is approved and made {request.subject_id}"
    elif subject.amount_usd > request.amount_usd:
        yield f"I17 approval {request.pk} allows {request.amount_usd} USD and made {subject.pk} of {subject.amount_usd}"
    else:
        yield from _elsewhere(request, subject)


def _elsewhere(request: ApprovalRequest, subject: Any) -> Iterator[str]:
    """What a person was shown is what was made. Older requests do not say where it would go, nor in what."""
    units, where = request.base_units, request.destination
    if units is None:
        return
    is_moved = where and where != subject.destination
    # A person may have sent it to the merchant's present address instead.
    readdressed = subject.history.filter(reason=READDRESSED, actor__startswith=PERSON)
    if (is_moved and not readdressed.exists()) or subject.base_units > units:
        made = (subject.destination, subject.base_units)
        yield f"I17 approval {request.pk} allows {(where, units)} and made {subject.pk} as {made}"
