"""Asking a person first: above a connection's threshold a call makes nothing but a request.

Must not know who decides. Source: docs/guides/agents.md, Limits and approvals; docs/adr/0022.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.db import transaction

from core import transitions
from core.clock import now, wire_time
from core.errors import ServiceError
from core.modes import Mode
from core.money import UsdAmount, to_decimal_string
from mcp.caller import Caller
from mcp.errors import ApprovalDenied, ApprovalRequired, LimitExceeded
from mcp.models import AgentConnection, ApprovalRequest, ApprovalTransition
from mcp.services.carrying_out import is_same_request
from mcp.services.charter import AboveThreshold, admission, locked_charter
from mcp.services.leaving import planned
from mcp.states import APPROVAL_MACHINE, ApprovalStatus
from merchants.admission import Admit
from merchants.errors import IdempotencyKeyReused
from merchants.principal import Principal
from payments.services.transition import locked_intent

Made = TypeVar("Made")
LIFETIME = timedelta(days=7)
MOST_PENDING = 100
"""Of one connection. Why a bound: what people must look through stays short whatever an agent does."""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What an agent wants done. ``arguments`` are the tool's, already checked, in plain JSON."""

    tool: str
    intent_id: UUID
    idempotency_key: str
    arguments: Mapping[str, Any]


def asking_first(caller: Caller, ask: Ask, act: Callable[[Admit], Made]) -> Made:
    """Do what an agent asks for, unless a person must be asked first. ``act`` creates with the ``Admit`` it is given.

    A key that a request stands for is never decided by the agent alone again, whatever the limits are by then.
    Not inside a transaction: the request is kept while the refund or payout is rolled back.
    Raises: ApprovalRequired with the request's id; ApprovalDenied; IdempotencyKeyReused; what the charter refuses.
    """
    earlier = _request_for(caller.connection, ask)
    admit = admission(caller, ask.tool) if earlier is None else _awaiting(earlier)
    try:
        return act(admit)
    except AboveThreshold:
        request = _requested(caller.connection, ask)
    except _Awaited as awaited:
        request = ApprovalRequest.objects.get(pk=awaited.request.pk)
    except ServiceError:
        if earlier is None or not _was_approved_since(earlier):
            raise  # else what was approved meanwhile is what stands in this call's way
        request = ApprovalRequest.objects.get(pk=earlier.pk)
    if request.status == ApprovalStatus.APPROVED:
        return act(_awaiting(request))  # it exists by now, so nobody is asked any more
    raise _news_of(request)


def _was_approved_since(seen: ApprovalRequest) -> bool:
    approved = ApprovalRequest.objects.filter(pk=seen.pk, status=ApprovalStatus.APPROVED)
    return seen.status == ApprovalStatus.PENDING and approved.exists()


class _Awaited(Exception):  # noqa: N818  Why: not an error, an answer that is looked up anew once all is rolled back.
    def __init__(self, request: ApprovalRequest) -> None:
        self.request = request


def _awaiting(request: ApprovalRequest) -> Admit:
    def admit(_amount: UsdAmount, _subject: UUID, /) -> None:
        raise _Awaited(request)

    return admit


def _request_for(connection: AgentConnection, ask: Ask) -> ApprovalRequest | None:
    """What was asked under this key. Raises: IdempotencyKeyReused where it was something else."""
    mine = ApprovalRequest.objects.filter(connection_id=connection.pk, tool=ask.tool)
    found: ApprovalRequest | None = mine.filter(idempotency_key=ask.idempotency_key).first()
    if found is not None and not is_same_request(ask.tool, found.arguments, ask.arguments):
        raise IdempotencyKeyReused
    return found


@transaction.atomic(durable=True)
def _requested(connection: AgentConnection, ask: Ask) -> ApprovalRequest:
    """The one request under this key, made where there is none, with what would leave by it.

    Raises: what planning it raises. Locks: the intent, AgentPolicy, AgentConnection. Why the intent: its key is looked
    at when the request is written, and whoever creates for it holds it while it waits for the charter.
    """
    intent = locked_intent(ask.intent_id)
    _, current = locked_charter(connection)
    if (found := _request_for(current, ask)) is not None:
        return found
    waiting = ApprovalRequest.objects.filter(connection_id=current.pk, status=ApprovalStatus.PENDING).count()
    if waiting >= MOST_PENDING:
        raise _too_many_waiting()
    agent = Principal(merchant_id=current.merchant_id, mode=Mode(current.mode), actor=current.actor)
    leaving = planned(agent, ask.tool, ask.arguments, intent)
    moment = now()
    request = ApprovalRequest(
        merchant_id=current.merchant_id,
        mode=current.mode,
        connection=current,
        tool=ask.tool,
        intent_id=ask.intent_id,
        arguments=dict(ask.arguments),
        idempotency_key=ask.idempotency_key,
        created_at=moment,
        expires_at=moment + LIFETIME,
        **leaving.columns,
    )
    transitions.initial(APPROVAL_LIFECYCLE, request, actor=current.actor)
    return request


def _too_many_waiting() -> LimitExceeded:
    return LimitExceeded(
        f"{MOST_PENDING} requests of this connection wait for a person already.",
        {"limit": "pending_approvals", "scope": "connection", "allowed": MOST_PENDING, "left": 0, "frees_at": None},
    )


def _news_of(request: ApprovalRequest) -> ApprovalRequired | ApprovalDenied:
    details = {
        "approval_id": str(request.pk),
        "status": request.status,
        "amount_usd": to_decimal_string(request.amount_usd),
        "expires_at": wire_time(request.expires_at),
    }
    if request.status == ApprovalStatus.PENDING and request.expires_at > now():
        return ApprovalRequired(details=details)
    status = ApprovalStatus.EXPIRED if request.status == ApprovalStatus.PENDING else request.status
    return ApprovalDenied(status, details | {"status": status})


APPROVAL_LIFECYCLE = transitions.Lifecycle(
    machine=APPROVAL_MACHINE, record=ApprovalTransition, announce=lambda _row, _event: ()
)
