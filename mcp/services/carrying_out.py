"""What a tool that moves money does with its arguments, apart from the call: for a request that a person allowed."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from core.modes import Mode
from mcp.models import ApprovalRequest
from mcp.money_requests import payout_request, refund_request
from merchants.admission import Admit
from merchants.principal import Principal
from payouts.services import create_payout
from refunds.services.create import create_refund_once

Arguments = Mapping[str, Any]


def is_same_request(tool: str, one: Arguments, other: Arguments) -> bool:
    """Whether two calls of a tool ask for the same, however it is spelled."""
    read = _REQUESTS[tool]
    return read(one) == read(other)


def carry_out(request: ApprovalRequest, admit: Admit) -> UUID:
    """Create what a request asks for, or find it; its id. Raises: what creating it raises.

    Why in the agent's name: its connection's end holds it back like anything else of that connection.
    """
    agent = Principal(merchant_id=request.merchant_id, mode=Mode(request.mode), actor=request.connection.actor)
    return _CREATORS[request.tool](agent, request.arguments, admit)


def _pay_out(agent: Principal, arguments: Arguments, admit: Admit) -> UUID:
    request = payout_request(arguments)
    return create_payout(agent, request.intent_id, request.idempotency_key, admit=admit, rest=request.rest).payout.pk


_REQUESTS: Mapping[str, Callable[[Arguments], object]] = {
    "create_payout": payout_request,
    "create_refund": refund_request,
}
_CREATORS: Mapping[str, Callable[[Principal, Arguments, Admit], UUID]] = {
    "create_payout": _pay_out,
    "create_refund": lambda agent, arguments, admit: (
        create_refund_once(agent, refund_request(arguments), admit=admit).pk
    ),
}
