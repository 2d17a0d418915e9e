"""What agents ordered and may not send any more: listed, let go by a person, or ended."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse

from chains.registry import chain
from core.money import from_base_units, to_decimal_string
from dashboard.agents.lines import connection_at, connection_line, policy_of
from dashboard.agents.words import money_words
from dashboard.page import carry_out, draw
from dashboard.visit import Visit
from mcp.models import AgentConnection
from merchants.admission import HoldReason
from payouts.models import Payout
from payouts.services import cancel_held_payout, resume_payout
from payouts.states import PayoutStatus
from refunds.models import Refund
from refunds.services.cancel import cancel_refund
from refunds.services.holds import release_refund
from refunds.states import ADDRESSED

SHOWN = 50
WHY: Final = {
    HoldReason.AGENT_REVOKED: "Its connection was revoked. It waits until somebody decides.",
    HoldReason.AGENTS_PAUSED: "Agents are paused. It goes on by itself when they are resumed.",
    HoldReason.AGENT_OVER_LIMIT: "It is more than the limits allow by now. It waits for room or for somebody's word.",
}
Answer = Callable[[Visit, UUID], object]


@dataclass(frozen=True, kw_only=True)
class HeldLine:
    """One payout or refund that is held."""

    kind: str
    pk: UUID
    amount: str
    tokens: str
    goes_to: str
    chain: str
    why: str
    since: datetime


def held_lines(visit: Visit, connection: AgentConnection) -> list[HeldLine]:
    """What this connection ordered and is held, newest first."""
    theirs = Q(created_by=connection.actor)
    found: list[Payout | Refund] = [
        *_held_payouts(visit).filter(theirs)[:SHOWN],
        *_held_refunds(visit).filter(theirs)[:SHOWN],
    ]
    return sorted((_line(one) for one in found), key=lambda line: line.since, reverse=True)[:SHOWN]


def held_until_decided(visit: Visit) -> "tuple[QuerySet[Payout], QuerySet[Refund]]":
    """What of all agents' orders waits until a person decides. A pause alone ends by itself."""
    by_itself = Q(failure_reason=HoldReason.AGENTS_PAUSED)
    return _held_payouts(visit).exclude(by_itself), _held_refunds(visit).exclude(by_itself)


def decide_held(request: HttpRequest, visit: Visit, connection_id: int, kind: str, subject_id: UUID) -> HttpResponse:
    """Show what is held, then let it go or end it."""
    connection = connection_at(visit, connection_id)
    line = next((one for one in held_lines(visit, connection) if (one.kind, one.pk) == (kind, subject_id)), None)
    if line is None:
        raise Http404
    answer = _ANSWERS.get((kind, request.POST.get("answer", "")))
    if request.method != "POST" or answer is None:
        context = {"line": line, "who": connection_line(connection, policy_of(visit))}
        return draw(request, visit, "dashboard/agents/held.html", context, 400 if request.method == "POST" else 200)
    done = "It is on its way." if request.POST["answer"] == "release" else "It is ended. Nothing was sent."
    back = visit.url("agent", connection_id=connection.pk)
    return carry_out(request, lambda: answer(visit, subject_id), done, back=back)


def _held_payouts(visit: Visit) -> "QuerySet[Payout]":
    mine = Payout.objects.visible_to(visit.principal).order_by("-created_at", "-pk")
    return mine.filter(status=PayoutStatus.PAUSED, failure_reason__in=list(HoldReason))


def _held_refunds(visit: Visit) -> "QuerySet[Refund]":
    mine = Refund.objects.visible_to(visit.principal).order_by("-created_at", "-pk")
    return mine.filter(status__in=ADDRESSED, failure_reason__in=list(HoldReason))


def _line(one: Payout | Refund) -> HeldLine:
    known = chain(one.chain)
    return HeldLine(
        kind="payout" if isinstance(one, Payout) else "refund",
        pk=one.pk,
        amount=money_words(one.amount_usd),
        tokens=f"{to_decimal_string(from_base_units(one.base_units, one.token_decimals), 0)} {one.token}",
        goes_to=one.destination,
        chain=one.chain if known is None else known.display_name,
        why=WHY[HoldReason(one.failure_reason)],
        since=one.created_at,
    )


def _refund(visit: Visit, subject_id: UUID) -> Refund:
    return Refund.objects.visible_to(visit.principal).get(pk=subject_id)


_ANSWERS: Final[dict[tuple[str, str], Answer]] = {
    ("payout", "release"): lambda visit, pk: resume_payout(visit.principal, pk),
    ("payout", "cancel"): lambda visit, pk: cancel_held_payout(visit.principal, pk),
    ("refund", "release"): lambda visit, pk: release_refund(visit.principal, _refund(visit, pk)),
    ("refund", "cancel"): lambda visit, pk: cancel_refund(visit.principal, _refund(visit, pk)),
}
