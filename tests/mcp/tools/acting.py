"""What tests of the tools that act share: an agent within limits, and refusals after which nothing has changed."""

from typing import Any

import pytest

from core.errors import ServiceError
from core.modes import Mode
from mcp.caller import Caller
from mcp.models import AgentEffect
from mcp.services.arguments import checked_arguments
from merchants.principal import Principal
from merchants.services import NewMerchant
from tests.factories.rows import Rows, all_rows
from tests.mcp.charter.stories import caller_of, connected
from tests.mcp.tools.calls import tool_named

ADDRESS = "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
DESTINATIONS = {
    "settlement_address": ADDRESS,
    "destination": ADDRESS,
    "address": ADDRESS,
    "recipient": ADDRESS,
    "return_url": "https://thief.example/",
    "webhook_url": "https://thief.example/",
    "amount_base_units": 1,
    "admit": True,
    "mode": "live",
}
"""What no tool that acts takes."""


def agent_of(account: NewMerchant, mode: Mode = Mode.TEST, **limits: Any) -> Caller:
    """An agent of this merchant: a thousand dollars a call and ten thousand a day unless said otherwise."""
    return caller_of(connected(Principal(merchant_id=account.merchant.pk, mode=mode, actor="test"), **limits))


def rows() -> Rows:
    """Every row that a refused call must leave alone, the counted effects among them."""
    effects: list[dict[str, Any]] = [dict(row) for row in AgentEffect.objects.order_by("pk").values()]
    return all_rows() | {"effects": effects}


def refusal(caller: Caller, name: str, **arguments: Any) -> ServiceError:
    """Why a call is refused, its arguments checked as at the door; nothing has changed by it."""
    before = rows()
    tool = tool_named(name)
    with pytest.raises(ServiceError) as refused:
        tool.run(caller, checked_arguments(tool, arguments))
    assert rows() == before
    return refused.value


def fields_of(error: ServiceError) -> list[tuple[str, str]]:
    """Which arguments a refusal names, each with its code."""
    return [(problem["field"], problem["code"]) for problem in error.details["fields"]]
