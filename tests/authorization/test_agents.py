"""The agents' door against every kind of caller: keys, cookies and others' access tokens open none of its tools.

How each token is refused in detail stands in tests/mcp/test_challenges.py.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from core.clock import now
from mcp.models import AgentConnection, AgentRecord
from mcp.scopes import Scope
from mcp.tools.registry import TOOLS
from tests.authorization.stage import CALLERS, Headers, Stage, other_than
from tests.authorization.test_matrix import everything
from tests.conftest import ApiClient, Reply
from tests.each import faults
from tests.mcp.agents import LEGACY, MODERN, Agent, connected_agent, issued_access_token

KEY = "order-1"
ERAS = (MODERN, LEGACY)


def arguments(tool: str, stage: Stage) -> dict[str, Any]:
    about: dict[str, Any] = {"payment_intent_id": stage.ids["intent_id"]}
    paid = {"payment_intent_id": stage.ids["paid_intent_id"], "idempotency_key": KEY}
    good: dict[str, dict[str, Any]] = {
        "create_payout": paid,
        "poll_settlement": about,
        "verify_webhook": {"raw_body": "{}", "signature": "t=1,v1=ab", "webhook_endpoint_id": stage.ids["endpoint_id"]},
        "create_payment_intent": {"amount": 25, "idempotency_key": KEY},
        "get_payment_intent": about,
        "list_payment_intents": {},
        "cancel_payment_intent": about,
        "create_refund": {**paid, "amount_usd": "1.00"},
        "list_tokens": {},
    }
    return good[tool]


def _own(stage: Stage, **limits: Any) -> Agent:
    return connected_agent(stage.account.merchant, stage.mode, **limits)


def _with_token(stage: Stage, **columns: Any) -> Agent:
    own = _own(stage)
    return Agent(issued_access_token(own.connection, **columns), own.connection)


def _with_headers(headers: Headers) -> Agent:
    return Agent("", AgentConnection(), {name.replace("_", "-"): value for name, value in headers.items()})


REFUSED: dict[str, Callable[[Stage], Agent]] = {
    "expired access token": lambda stage: _with_token(stage, expires=now() - timedelta(seconds=1)),
    "access token of a revoked connection": lambda stage: _own(stage, revoked_at=now()),
    "access token of a connection that is over": lambda stage: _own(stage, expires_at=now()),
    "access token for another server": lambda stage: _with_token(stage, resource=["https://mcp.example/mcp"]),
    "access token for any server": lambda stage: _with_token(stage, resource=[]),
    "registration token": lambda stage: _with_token(stage, user=None, connection=None, resource=[]),
    "access token that another person got": lambda stage: _with_token(stage, user=stage.stranger.owner),
    "unknown access token": lambda stage: Agent("at_" + "A" * 43, AgentConnection()),
}
FOREIGN: dict[str, Callable[[Stage], Agent]] = {
    "another merchant's": lambda stage: connected_agent(stage.stranger.merchant, stage.mode),
    "the other mode's": lambda stage: connected_agent(stage.account.merchant, other_than(stage.mode)),
}
ALL_TOOLS = [tool.name for tool in TOOLS]
ABOUT_ROWS = [tool.name for tool in TOOLS if "payment_intent_id" in tool.input_schema["properties"]]


def call(agent: Agent, tool: str, stage: Stage, era: str = MODERN) -> Reply:
    return agent.rpc("tools/call", {"name": tool, "arguments": arguments(tool, stage)}, era)


@pytest.mark.spec("Authentication 6: agent tool interface")
def test_no_other_credential_opens_any_tool(stage: Stage) -> None:
    agents = {caller: _with_headers(stage.credentials(caller)) for caller in CALLERS}
    agents |= {caller: made(stage) for caller, made in REFUSED.items()}
    before = everything()

    def check(tool: str) -> None:
        answers = {caller: [call(agent, tool, stage, era).status for era in ERAS] for caller, agent in agents.items()}
        assert everything() == before
        assert answers == dict.fromkeys(agents, [401, 401])
        assert AgentRecord.objects.count() == 0

    assert faults(check, ALL_TOOLS) == {}


@pytest.mark.spec("Authentication 6: agent tool interface")
def test_without_its_scope_no_tool_is_run(stage: Stage) -> None:
    def check(tool: str) -> None:
        needed = next(one.scope for one in TOOLS if one.name == tool)
        agent = _own(stage, scopes=[scope for scope in Scope if scope != needed])
        before = everything()
        for era in ERAS:
            reply = call(agent, tool, stage, era)
            assert reply.status == 403
            assert f'scope="{needed}"' in reply.headers["WWW-Authenticate"]
        assert everything() == before

    assert faults(check, ALL_TOOLS) == {}


@pytest.mark.spec("Authentication 6: agent tool interface")
@pytest.mark.parametrize("whose", FOREIGN)
def test_others_rows_look_like_none_and_are_in_no_list(whose: str, stage: Stage) -> None:
    agent = FOREIGN[whose](stage)
    assert agent.call("list_payment_intents").result["data"] == []
    before = everything()

    def check(tool: str) -> None:
        foreign = agent.call(tool, arguments(tool, stage))
        nowhere = {**arguments(tool, stage), "payment_intent_id": "00000000-0000-4000-8000-000000000000"}
        unknown = agent.call(tool, nowhere)
        assert foreign.code == "not_found"
        assert foreign.error == unknown.error
        assert everything() == before

    assert faults(check, ABOUT_ROWS) == {}


def test_the_right_agent_is_let_in(stage: Stage) -> None:
    def check(tool: str) -> None:
        assert call(_own(stage), tool, stage).status == 200

    assert faults(check, ALL_TOOLS) == {}
    own = _own(stage).call("list_payment_intents").result["data"]
    assert stage.ids["intent_id"] in {intent["id"] for intent in own}


def test_access_tokens_open_nothing_of_rest(stage: Stage) -> None:
    own, before = _own(stage), everything()
    for path in ("/payment-intents", "/refunds", "/payouts", "/webhook-endpoints"):
        for method in ("GET", "POST"):
            reply = ApiClient(own.access_token).send(method, path, {})
            assert (reply.status, reply.body["code"]) in {(401, "invalid_api_key"), (405, "method_not_allowed")}
    assert everything() == before
