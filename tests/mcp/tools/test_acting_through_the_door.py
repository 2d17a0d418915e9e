"""The tools that act, called over HTTP: scope, mode, form of the arguments, and a person above the threshold."""

from typing import Any
from uuid import UUID

import pytest

from core.modes import Mode
from core.money import usd
from mcp.models import ApprovalRequest
from mcp.scopes import Scope
from mcp.services.approvals import approve, deny
from merchants.models import Merchant
from merchants.principal import Principal
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.mcp.agents import Agent, connected_agent
from tests.mcp.charter.stories import owner_of
from tests.mcp.tools.acting import DESTINATIONS, rows
from tests.mcp.tools.calls import tool_named
from tests.payments.world import World
from tests.payouts.stories import settled

MONEY = ("create_payout", "create_refund")
ACTING = (*MONEY, "create_payment_intent", "cancel_payment_intent")
LIMITS: dict[str, Any] = {"per_call_usd": usd("1000"), "per_day_usd": usd("10000")}


def arguments_of(tool: str, intent: dict[str, Any], key: str = "k") -> dict[str, Any]:
    """Good arguments about an intent."""
    every = {"payment_intent_id": intent["id"], "amount_usd": "25.00", "amount": 25, "idempotency_key": key}
    return {name: every[name] for name in tool_named(tool).input_schema["required"]}


def subject_of(tool: str, result: dict[str, Any]) -> UUID:
    """The payout or refund that a call made."""
    return UUID(result["result"]["payoutId"] if tool == "create_payout" else result["id"])


@pytest.mark.parametrize("tool", ACTING)
def test_a_good_call_acts(world: World, api: ApiClient, merchant: Merchant, tool: str) -> None:
    intent = settled(world, api) if tool in MONEY else api.post("/payment-intents", {"amount": 25}).body
    before = rows()
    answer = connected_agent(merchant, **LIMITS).call(tool, arguments_of(tool, intent))
    assert not answer.is_error, answer.error
    assert rows() != before


def test_without_its_scope_nothing_happens(world: World, api: ApiClient, merchant: Merchant) -> None:
    intent = settled(world, api)
    for tool in ACTING:
        needed = tool_named(tool).scope
        agent = connected_agent(merchant, scopes=[scope for scope in Scope if scope != needed], **LIMITS)
        before = rows()
        reply = agent.rpc("tools/call", {"name": tool, "arguments": arguments_of(tool, intent)})
        assert reply.status == 403, tool
        assert f'scope="{needed}"' in reply.headers["WWW-Authenticate"]
        assert rows() == before


def test_a_live_agent_never_reaches_a_test_intent(world: World, api: ApiClient, merchant: Merchant) -> None:
    intent = settled(world, api)
    agent = connected_agent(merchant, Mode.LIVE, **LIMITS)
    before = rows()
    for tool in ("create_payout", "create_refund", "cancel_payment_intent"):
        answer = agent.call(tool, arguments_of(tool, intent))
        assert (answer.code, answer.error["details"]) == ("not_found", {"resource": "payment_intent"}), tool
    assert rows() == before


def test_nothing_but_its_arguments_is_taken(world: World, api: ApiClient, merchant: Merchant) -> None:
    intent = settled(world, api)
    agent = connected_agent(merchant, **LIMITS)
    before = rows()
    for tool in ACTING:
        answer = agent.call(tool, arguments_of(tool, intent) | DESTINATIONS)
        assert answer.code == "invalid_request", tool
        assert {problem["field"] for problem in answer.error["details"]["fields"]} == set(DESTINATIONS)
    assert rows() == before


@pytest.fixture
def watched(merchant: Merchant) -> Agent:
    """An agent that may move ten dollars without asking."""
    return connected_agent(merchant, **LIMITS, approval_above_usd=usd("10"))


def decided(principal: Principal, approval_id: str, *, allowed: bool) -> None:
    """What the merchant's owner says on the dashboard."""
    person = owner_of(principal)
    visit = Principal(merchant_id=principal.merchant_id, mode=principal.mode, actor=f"user:{person.pk}")
    (approve if allowed else deny)(visit, person, UUID(approval_id))


@pytest.mark.spec("Rulings B12.3")
@pytest.mark.parametrize("tool", MONEY)
def test_above_the_threshold_a_person_is_asked_and_nothing_is_made(
    world: World, api: ApiClient, principal: Principal, watched: Agent, tool: str
) -> None:
    intent = settled(world, api)
    before = rows()
    answers = [watched.call(tool, arguments_of(tool, intent)) for _ in range(2)]
    assert [answer.code for answer in answers] == ["approval_required"] * 2
    assert rows() == before
    request = ApprovalRequest.objects.get()
    assert {answer.error["details"]["approval_id"] for answer in answers} == {str(request.pk)}
    decided(principal, str(request.pk), allowed=True)
    made = [subject_of(tool, watched.call(tool, arguments_of(tool, intent)).result) for _ in range(2)]
    assert made == [ApprovalRequest.objects.get().subject_id] * 2
    assert Payout.objects.count() + Refund.objects.count() == 1


@pytest.mark.parametrize("tool", MONEY)
def test_what_a_person_denied_stays_undone(
    world: World, api: ApiClient, principal: Principal, watched: Agent, tool: str
) -> None:
    intent = settled(world, api)
    asked = watched.call(tool, arguments_of(tool, intent))
    decided(principal, asked.error["details"]["approval_id"], allowed=False)
    before = rows()
    assert watched.call(tool, arguments_of(tool, intent)).code == "approval_denied"
    assert rows() == before


def test_below_the_threshold_nobody_is_asked(world: World, api: ApiClient, watched: Agent) -> None:
    intent = settled(world, api)
    answer = watched.call("create_refund", arguments_of("create_refund", intent) | {"amount_usd": "10.00"})
    assert answer.result["amount_usd"] == "10.00"
    assert ApprovalRequest.objects.count() == 0
