"""Asking a person: above a connection's threshold nothing exists but a request, until somebody allows it.

Locks, everywhere: the request, then what creating takes (intent, refund or payout, AgentPolicy, AgentConnection).
Source: docs/guides/agents.md, Limits and approvals; docs/adr/0022.
"""

from uuid import UUID

from django.db import transaction

from core import transitions
from core.clock import now
from core.errors import NotFound
from core.money import UsdAmount, to_decimal_string
from mcp.caller import CallFacts
from mcp.errors import ApprovalDenied, ApprovalNotPending, ApprovalOutdated, ApprovalUnplanned
from mcp.models import AgentConnection, ApprovalRequest, AuditAction
from mcp.services.asking import APPROVAL_LIFECYCLE
from mcp.services.audit import Entry, record_entry
from mcp.services.carrying_out import carry_out
from mcp.services.charter import admission_by_person, policy_of
from mcp.services.leaving import Leaving, differences, kept, made
from mcp.states import ApprovalStatus
from merchants.admission import Admit
from merchants.models import User
from merchants.principal import Principal

SWEEP = "sweep"
BATCH = 200


def approve(principal: Principal, person: User, approval_id: UUID) -> ApprovalRequest:
    """Allow a request, and do at once what it asks for, with its own arguments and key; the request as it is then.

    What is made must be what was planned when it was asked for, to the address, the token and the unit. The charter
    counts again but for the threshold; what refuses leaves the request as it was.
    Raises: NotFound; ApprovalNotPending; ApprovalOutdated; ConnectionEnded, AgentsPaused, LimitExceeded; whatever
    creating a refund or payout refuses.
    """
    request = _visible(principal, approval_id)
    policy_of(request.connection)
    with transaction.atomic():
        request = _locked_pending(principal, approval_id)
        approved = kept(request)
        if approved is None:
            raise ApprovalUnplanned
        admit = _this_amount(approved, admission_by_person(request.connection, request.tool))
        subject_id = carry_out(request, admit)
        if differs := differences(approved, made(request.tool, subject_id)):  # by the row: it is what is sent
            raise ApprovalOutdated(differs)
        _decide(request, "approve", principal, person, subject_id=subject_id)
    return request


@transaction.atomic
def deny(principal: Principal, person: User, approval_id: UUID) -> ApprovalRequest:
    """Refuse a request for good. Raises: NotFound; ApprovalNotPending."""
    request = _locked_pending(principal, approval_id)
    _decide(request, "deny", principal, person)
    return request


def withdraw_pending(connection: AgentConnection, *, actor: str) -> int:
    """End all that a revoked connection still asks for; returns how many. Call it once the revocation is committed.

    Why not before: whoever approves holds the request and waits for the connection.
    """
    waiting = ApprovalRequest.objects.filter(connection_id=connection.pk, status=ApprovalStatus.PENDING)
    return sum(_end(pk, "withdraw", actor) for pk in list(waiting.values_list("pk", flat=True)))


def sweep_approvals() -> int:
    """End what nobody decided in time, or whose connection is gone; returns how many."""
    pending = ApprovalRequest.objects.filter(status=ApprovalStatus.PENDING)
    gone = pending.filter(connection__revoked_at__isnull=False).values_list("pk", flat=True)[:BATCH]
    ended = sum(_end(pk, "withdraw", SWEEP) for pk in list(gone))
    late = pending.filter(expires_at__lte=now()).values_list("pk", flat=True)[:BATCH]
    return ended + sum(_end(pk, "expire", SWEEP) for pk in list(late))


def _this_amount(approved: Leaving, admit: Admit) -> Admit:
    """A person allowed this amount: for less it must be asked for anew. Why before the limits: it says why.

    Why not for more: limits count today's price, which may be above it. What is made is compared afterwards.
    """

    def admit_this(amount: UsdAmount, subject_id: UUID, /) -> None:
        if amount < approved.amount_usd:
            sides = (to_decimal_string(approved.amount_usd), to_decimal_string(amount))
            raise ApprovalOutdated({"amount_usd": sides})
        admit(amount, subject_id)

    return admit_this


def _visible(principal: Principal, approval_id: UUID) -> ApprovalRequest:
    found: ApprovalRequest | None = (
        ApprovalRequest.objects.visible_to(principal).select_related("connection").filter(pk=approval_id).first()
    )
    if found is None:
        raise NotFound("approval")
    return found


def _locked_pending(principal: Principal, approval_id: UUID) -> ApprovalRequest:
    _visible(principal, approval_id)
    request = transitions.locked(ApprovalRequest.objects.select_related("connection"), pk=approval_id)
    if request.status != ApprovalStatus.PENDING:
        raise ApprovalNotPending(request.status)
    if request.expires_at <= now():
        raise ApprovalNotPending(ApprovalStatus.EXPIRED)
    return request


def _decide(
    request: ApprovalRequest, trigger: str, principal: Principal, person: User, *, subject_id: UUID | None = None
) -> None:
    facts = {"decided_at": now(), "decided_by": person, "subject_id": subject_id}
    transitions.apply(APPROVAL_LIFECYCLE, request, trigger, actor=principal.actor, changes=facts)
    entry = Entry(
        action=AuditAction.DECISION,
        outcome="ok" if trigger == "approve" else "denied",
        tool=request.tool,
        code="" if trigger == "approve" else ApprovalDenied.code,
        idempotency_key=request.idempotency_key,
        object_ids=[str(pk) for pk in (request.pk, subject_id) if pk is not None],
        actor=principal.actor,
    )
    record_entry(entry, request.connection, CallFacts())


@transaction.atomic(durable=True)
def _end(approval_id: UUID, trigger: str, actor: str) -> bool:
    """End one request that nobody decided meanwhile."""
    request = transitions.locked(ApprovalRequest.objects.all(), pk=approval_id)
    if request.status != ApprovalStatus.PENDING:
        return False
    transitions.apply(APPROVAL_LIFECYCLE, request, trigger, actor=actor)
    return True
