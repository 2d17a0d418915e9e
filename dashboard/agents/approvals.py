"""What agents want done that a person must allow first: the list, one of them in full, and the two answers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from chains.registry import chain
from core.clock import now
from dashboard.agents.held import held_until_decided
from dashboard.agents.lines import ConnectionLine, connection_line, permissions, policy_of
from dashboard.agents.words import TOOL_WORDS, Label, money_words, plain
from dashboard.cards import Task
from dashboard.page import carry_out, draw
from dashboard.visit import Visit
from mcp.models import ApprovalRequest
from mcp.services import approvals
from mcp.services.leaving import Leaving, kept
from mcp.states import ApprovalStatus
from merchants.models import User
from merchants.principal import Principal

SHOWN = 100
_REASON_LENGTH = 280
STATUS: Final = {
    ApprovalStatus.PENDING: Label("Waits for a person", "warn"),
    ApprovalStatus.APPROVED: Label("Approved", "ok"),
    ApprovalStatus.DENIED: Label("Denied", "bad"),
    ApprovalStatus.EXPIRED: Label("Expired", ""),
    ApprovalStatus.WITHDRAWN: Label("Ended with its connection", ""),
}
Decide = Callable[[Principal, User, UUID], ApprovalRequest]


@dataclass(frozen=True, kw_only=True)
class ApprovalLine:
    """One request as the dashboard shows it. ``leaving`` is what it sends, as kept; ``reason`` the agent's own text."""

    request: ApprovalRequest
    who: ConnectionLine
    what: str
    is_payout: bool
    amount: str
    leaving: Leaving | None
    chain_name: str
    reason: str
    status: str
    tone: str
    is_pending: bool
    can_approve: bool


def approval_line(request: ApprovalRequest, visit: Visit) -> ApprovalLine:
    """What is shown of a request."""
    is_pending = request.status == ApprovalStatus.PENDING and request.expires_at > now()
    is_late = request.status == ApprovalStatus.PENDING and not is_pending
    label = STATUS[ApprovalStatus.EXPIRED if is_late else ApprovalStatus(request.status)]
    leaving = kept(request)
    known = chain(request.chain)
    return ApprovalLine(
        request=request,
        who=connection_line(request.connection, policy_of(visit)),
        what=TOOL_WORDS.get(request.tool, request.tool),
        is_payout=request.tool == "create_payout",
        amount=money_words(request.amount_usd),
        leaving=leaving,
        chain_name=request.chain if known is None else known.display_name,
        reason=plain(str(request.arguments.get("reason") or ""), _REASON_LENGTH),
        status=label.word,
        tone=label.tone,
        is_pending=is_pending,
        can_approve=is_pending and leaving is not None,
    )


def waiting_for_a_person(visit: Visit) -> Iterator[Task]:
    """The requests that wait, and what is held until somebody decides, for the home page."""
    words = "An agent waits for you: no money moves until somebody decides"
    yield Task(count=_pending(visit), words=words, url=visit.url("approvals"), tone="bad")
    payouts, refunds = held_until_decided(visit)
    yield Task(count=payouts, words="Payouts held back from agents until somebody decides", url=visit.url("agents"))
    yield Task(count=refunds, words="Refunds held back from agents until somebody decides", url=visit.url("agents"))


def list_approvals(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What waits, soonest to expire first; then what was decided, newest first."""
    pending = list(_pending(visit).order_by("expires_at", "pk")[: SHOWN + 1])
    waiting = {one.pk for one in pending}
    decided = [one for one in _requests(visit).order_by("-created_at", "-pk")[: SHOWN + 1] if one.pk not in waiting]
    context = {
        "pending": [approval_line(one, visit) for one in pending[:SHOWN]],
        "decided": [approval_line(one, visit) for one in decided[:SHOWN]],
        "has_more": len(pending) > SHOWN or len(decided) > SHOWN,
    }
    return draw(request, visit, "dashboard/approvals/list.html", context)


def show_approval(request: HttpRequest, visit: Visit, approval_id: UUID) -> HttpResponse:
    """Exactly what would happen, who asks for it, and the two answers."""
    line = approval_line(_request_at(visit, approval_id), visit)
    return draw(request, visit, "dashboard/approvals/approval.html", {"line": line, **permissions(visit)})


def approve_request(request: HttpRequest, visit: Visit, approval_id: UUID) -> HttpResponse:
    """Ask once more with everything in sight, then have it done."""
    return _answer(request, visit, approval_id, approvals.approve, "Approved. It is on its way.")


def deny_request(request: HttpRequest, visit: Visit, approval_id: UUID) -> HttpResponse:
    """Ask once more, then refuse it for good."""
    return _answer(request, visit, approval_id, approvals.deny, "Denied. Nothing was sent.")


def _answer(request: HttpRequest, visit: Visit, approval_id: UUID, decide: Decide, message: str) -> HttpResponse:
    found = _request_at(visit, approval_id)
    if request.method != "POST":
        context = {"line": approval_line(found, visit), "denies": decide is approvals.deny}
        return draw(request, visit, "dashboard/approvals/decide.html", context)
    back = visit.url("approval", approval_id=found.pk)
    return carry_out(request, lambda: decide(visit.principal, visit.person, found.pk), message, back=back)


def _requests(visit: Visit) -> Any:
    related = ("connection__application", "connection__user", "intent", "decided_by")
    return ApprovalRequest.objects.visible_to(visit.principal).select_related(*related)


def _pending(visit: Visit) -> Any:
    return _requests(visit).filter(status=ApprovalStatus.PENDING, expires_at__gt=now())


def _request_at(visit: Visit, approval_id: UUID) -> ApprovalRequest:
    found: ApprovalRequest | None = _requests(visit).filter(pk=approval_id).first()
    if found is None:
        raise Http404
    return found
