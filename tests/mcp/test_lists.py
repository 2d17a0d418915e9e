"""What a client is told before its first call, in each era. Source: agents, 1.2, 1.5 and 7.2."""

import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp.scopes import Scope
from mcp.tools.registry import TOOLS
from merchants.models import Merchant
from tests.mcp.agents import LEGACY, MODERN, Agent, connected_agent

SERVER = {"io.modelcontextprotocol/serverInfo": {"name": "causeway", "title": "Causeway", "version": "1.2.0"}}


def result(agent: Agent, method: str, era: str = MODERN, **params: Any) -> Any:
    """The result of a request that must succeed."""
    reply = agent.rpc(method, params, era)
    assert reply.status == 200
    return reply.body["result"]


def test_discover(agent: Agent) -> None:
    told = result(agent, "server/discover")
    assert isinstance(told.pop("instructions"), str)
    assert told == {
        "resultType": "complete",
        "supportedVersions": [MODERN],
        "capabilities": {"tools": {}},
        "ttlMs": 300_000,
        "cacheScope": "public",
        "_meta": SERVER,
    }


def test_the_list_of_tools(agent: Agent) -> None:
    told = result(agent, "tools/list")
    assert set(told) == {"resultType", "tools", "ttlMs", "cacheScope", "_meta"}
    assert (told["resultType"], told["ttlMs"], told["cacheScope"]) == ("complete", 300_000, "public")
    assert told["_meta"] == SERVER
    assert [tool["name"] for tool in told["tools"]] == [tool.name for tool in TOOLS]
    assert result(agent, "tools/list", LEGACY) == {"tools": told["tools"]}


def test_every_tool_as_it_is_listed(agent: Agent) -> None:
    for tool in result(agent, "tools/list")["tools"]:
        assert set(tool) == {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
        assert re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", tool["name"])
        assert set(tool["annotations"]) == {
            *("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"),
        }
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False


def test_the_list_is_the_same_whoever_asks(agent: Agent, merchant: Merchant) -> None:
    """Why: it is told to be public, so that anybody may keep it for anybody."""
    lists = [result(connected_agent(merchant, scopes=scopes), "tools/list") for scopes in ([], [Scope.READ_TOKENS])]
    assert lists == [result(agent, "tools/list")] * 2


@pytest.mark.parametrize("cursor", ["", "2", 1, {}])
def test_there_is_no_second_page(cursor: object, agent: Agent) -> None:
    assert agent.rpc("tools/list", {"cursor": cursor}).body["error"]["code"] == -32602
    assert result(agent, "tools/list", cursor=None)["tools"]
