"""How often an agent may ask a person: no more than it may move money, and never more than people can look through."""

from typing import Any

import pytest

from core.money import usd
from mcp.errors import LimitExceeded, TooManyEffects
from mcp.models import AgentConnection, ApprovalRequest
from mcp.services import asking
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.mcp.charter.stories import ask_refund, connected
from tests.mcp.charter.test_approvals import asked
from tests.payments.world import World
from tests.payouts.stories import settled


@pytest.fixture
def intent(world: World, api: ApiClient) -> dict[str, Any]:
    """A settled intent over 25 dollars."""
    return settled(world, api)


@pytest.fixture
def connection(principal: Principal) -> AgentConnection:
    """A connection that may move 10 dollars without asking."""
    return connected(principal, approval_above_usd=usd("10"))


def test_asking_is_counted_like_doing(connection: AgentConnection, intent: dict[str, Any]) -> None:
    for number in range(10):
        asked(connection, intent, f"k{number}")
    with pytest.raises(TooManyEffects):
        ask_refund(connection, intent, "25", "one more")
    assert ApprovalRequest.objects.count() == 10


def test_no_flood_of_requests(
    connection: AgentConnection, intent: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MOST_PENDING", 2)
    asked(connection, intent, "k1")
    asked(connection, intent, "k2")
    with pytest.raises(LimitExceeded) as refusal:
        ask_refund(connection, intent, "25", "k3")
    assert refusal.value.details["limit"] == "pending_approvals"
