"""What a call comes to: arguments, refusals, failures of ours, and the line that each leaves. Source: agents, 7.3."""

import json
import logging
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from django.db import OperationalError

from core.errors import Conflict, InvalidRequest, NotFound, RateLimited, TemporarilyUnavailable
from mcp.models import AgentRecord
from mcp.protocol.versions import VENDOR
from mcp.tools.registry import TOOLS
from tests.factories.rows import all_rows
from tests.mcp.agents import LEGACY, MODERN, Agent
from tests.mcp.probe import PROBE, Probe, Scene
from tests.mcp.test_rows import refusal

INTENT = "00000000-0000-4000-8000-000000000000"
CANARY = "canary-canary-canary"


def lines() -> list[tuple[str, str, str]]:
    return list(AgentRecord.objects.order_by("pk").values_list("tool", "outcome", "code"))


def test_a_result_is_structure_and_the_same_text(agent: Agent, probe: Probe) -> None:
    for era in (MODERN, LEGACY):
        probe.gives = {"amount": Decimal("12.30"), "name": "é\u2028<b>", "none": None, "list": [1, {"a": True}]}
        reply = agent.rpc("tools/call", {"name": PROBE, "arguments": {"limit": 3}}, era)
        result = reply.body["result"]
        assert (reply.status, result["isError"]) == (200, False)
        [block] = result["content"]
        assert (block["type"], set(block)) == ("text", {"type", "text"})
        assert json.loads(block["text"], parse_float=Decimal) == probe.gives
        assert b'"structuredContent":' + block["text"].encode() in reply.raw
    assert probe.runs == [{"limit": 3}] * 2
    assert lines() == [(PROBE, "ok", "")] * 2


def test_a_text_that_nothing_can_store_is_the_tools_to_refuse(agent: Agent, probe: Probe) -> None:
    def said(name: str, arguments: dict[str, Any]) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        return agent.send(json.dumps(message).encode(), Mcp_Protocol_Version=LEGACY).body

    for text, reason in (("a\x00", "nul_character"), ("\ud800", "lone_surrogate")):
        for arguments, field in (({"limit": text}, "limit"), ({text: 1}, "arguments"), ({"a": [{"b": text}]}, "a")):
            result = said(PROBE, arguments)["result"]
            refused = json.loads(result["content"][0]["text"])
            assert (result["isError"], refused["code"]) == (True, "invalid_request")
            assert [(one["field"], one["code"]) for one in refused["details"]["fields"]] == [(field, "format")]
        elsewhere = said(text, {})["error"]
        assert (elsewhere["code"], elsewhere["data"]["reason"]) == (-32600, reason)
    assert probe.runs == []
    assert lines() == [(PROBE, "tool_error", "invalid_request")] * 6


ARGUMENTS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"no_such": 1}, [("no_such", "unknown_field")]),
    ({"a": 1, "b": 2}, [("a", "unknown_field"), ("b", "unknown_field")]),
    ({"__proto__": {}, "limit": 0}, [("limit", "out_of_range"), ("__proto__", "unknown_field")]),
    ({"payment_intent_id": 1}, [("payment_intent_id", "type")]),
    ({"payment_intent_id": None}, [("payment_intent_id", "type")]),
    ({"payment_intent_id": ""}, [("payment_intent_id", "format")]),
    ({"payment_intent_id": "../../etc"}, [("payment_intent_id", "format")]),
    ({"payment_intent_id": f"{INTENT}\n"}, [("payment_intent_id", "format")]),
    ({"payment_intent_id": f"pi_pi_{INTENT}"}, [("payment_intent_id", "format")]),
    ({"intent_id": "x"}, [("payment_intent_id", "format")]),
    ({"intent_id": INTENT, "payment_intent_id": INTENT}, [("intent_id", "unknown_field")]),
    ({"amount_usd": "1"}, [("amount_usd", "format")]),
    ({"amount_usd": 1}, [("amount_usd", "type")]),
    ({"limit": 101}, [("limit", "out_of_range")]),
    ({"limit": 5.5}, [("limit", "type")]),
    ({"limit": True}, [("limit", "type")]),
    ({"limit": "5"}, [("limit", "type")]),
    ({"rate": 0}, [("rate", "out_of_range")]),
    ({"rate": 1.5}, [("rate", "precision")]),
    ({"status": "paid"}, [("status", "unknown_value")]),
    ({"idempotency_key": ""}, [("idempotency_key", "out_of_range")]),
    ({"idempotency_key": "k" * 256}, [("idempotency_key", "too_long")]),
    ({"include": "explain"}, [("include", "type")]),
    ({"include": ["explain"] * 3}, [("include", "too_long")]),
    ({"include": ["explain", "secrets"]}, [("include.1", "unknown_value")]),
    ({"about": {}}, [("about.order", "required")]),
    ({"about": {"order": 1}}, [("about.order", "type")]),
    ({"about": []}, [("about", "type")]),
]


def test_arguments_that_are_refused(agent: Agent, probe: Probe) -> None:
    before = all_rows()
    for arguments, problems in ARGUMENTS:
        answer = agent.call(PROBE, arguments)
        assert answer.code == "invalid_request", arguments
        assert set(answer.error["details"]) == {"fields"}
        found = [(problem["field"], problem["code"]) for problem in answer.error["details"]["fields"]]
        assert sorted(found) == sorted(problems)
    assert (probe.runs, all_rows()) == ([], before)
    assert lines() == [(PROBE, "tool_error", "invalid_request")] * len(ARGUMENTS)


def test_a_refusal_repeats_no_value_and_names_few_fields(agent: Agent, probe: Probe) -> None:
    secrets = {"limit": CANARY, "status": CANARY, "amount_usd": CANARY, "about": {"order": [CANARY]}}
    answer = agent.call(PROBE, {**secrets, **{f"k{number}": CANARY for number in range(1000)}})
    assert CANARY.encode() not in answer.reply.raw
    assert len(answer.error["details"]["fields"]) == 20
    named = agent.call(PROBE, {"n" * 5000: 1}).error["details"]["fields"]
    assert [problem["field"] for problem in named] == ["n" * 100]
    assert probe.runs == []


def test_arguments_arrive_exactly_in_every_form_that_rest_takes(agent: Agent, probe: Probe) -> None:
    forms = (INTENT, f"pi_{INTENT}", INTENT.replace("-", ""), INTENT.upper())
    for name, written in product(("payment_intent_id", "intent_id"), forms):
        agent.call(PROBE, {name: written})
    assert probe.runs == [{"payment_intent_id": written} for written in forms] * 2
    advertised = next(tool for tool in TOOLS if tool.name == "poll_settlement").input_schema
    assert set(advertised["properties"]) == {"payment_intent_id"}
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"probe","arguments":{"rate":%s}}}'
    for literal in (b"1e2", b"100.000000000000000000000000000000", b"9007199254740993", b"9" * 40):
        assert agent.send(body % literal).status == 200
    assert [run["rate"] for run in probe.runs[8:]] == [100, 100, 9007199254740993, Decimal("9" * 40)]
    assert not any(isinstance(run["rate"], float) for run in probe.runs[8:])


REFUSALS = [
    (NotFound("payment_intent"), "not_found", {"resource": "payment_intent"}),
    (InvalidRequest(details={"fields": []}), "invalid_request", {"fields": []}),
    (Conflict("No.", details={"status": "settled"}), "conflict", {"status": "settled"}),
    (RateLimited(details={"limit": 10}, headers={"Retry-After": "3"}), "rate_limited", {"limit": 10}),
    (TemporarilyUnavailable(), "temporarily_unavailable", {"retryable": True}),
    (OperationalError(f"could not connect: {CANARY}"), "temporarily_unavailable", {"retryable": True}),
]


def test_a_refusal_is_a_result(agent: Agent, probe: Probe) -> None:
    for era, (error, code, details) in product((MODERN, LEGACY), REFUSALS):
        probe.fails_with = error
        answer = agent.call(PROBE, era=era)
        assert set(answer.error) == {"error", "code", "details"}
        assert (answer.code, answer.error["details"]) == (code, details)
        result = answer.reply.body["result"]
        assert "structuredContent" not in result
        assert result["_meta"][f"{VENDOR}/error"] == answer.error
        assert CANARY.encode() not in answer.reply.raw
    assert lines() == [(PROBE, "tool_error", code) for _, code, _ in REFUSALS] * 2


def test_a_failure_of_ours(agent: Agent, probe: Probe, caplog: pytest.LogCaptureFixture) -> None:
    for error, era in product((ValueError(CANARY), KeyError(CANARY), RecursionError(CANARY)), (MODERN, LEGACY)):
        probe.fails_with = error
        with caplog.at_level(logging.DEBUG):
            reply = agent.rpc("tools/call", {"name": PROBE, "arguments": {"about": {"order": CANARY}}}, era)
        assert refusal(reply) == (200, -32603, reply.body["id"])
        assert reply.body["error"]["data"] == {"code": "internal_error", "request_id": reply.headers["Request-Id"]}
        assert CANARY.encode() not in reply.raw
        logged = caplog.text + "".join(str(record.__dict__) for record in caplog.records)
        assert f"tool probe failed for agent:{agent.connection.pk}: {type(error).__name__}" in logged
        assert "probe.py" in logged
        assert CANARY not in logged
    assert lines() == [(PROBE, "tool_error", "internal_error")] * 6
    probe.fails_with, probe.gives = None, {"rate": object()}  # nor can this be written
    reply = agent.rpc("tools/call", {"name": PROBE})
    assert refusal(reply) == (200, -32603, reply.body["id"])
    assert agent.rpc("tools/list").status == 200


def test_the_line_of_a_call(scene: Scene) -> None:
    for method in ("server/discover", "tools/list", "prompts/list"):
        scene.agent.rpc(method)
    scene.agent.rpc("tools/call", {"name": "no_such_tool"})
    scene.assert_untouched()
    scene.agent.rpc(
        "tools/call", {"name": PROBE, "arguments": {"idempotency_key": "order-1"}}, User_Agent="bot/1\x00\n"
    )
    [line] = AgentRecord.objects.all()
    connection = scene.agent.connection
    assert (line.connection_id, line.merchant_id, line.mode) == (connection.pk, connection.merchant_id, "test")
    assert (line.actor, line.client_id) == (f"agent:{connection.pk}", connection.application.client_id)
    assert (line.protocol_version, line.address, line.user_agent) == (MODERN, "127.0.0.1", "bot/1")
    assert line.request_id.startswith("req_")
    assert line.latency_ms is not None
    assert line.idempotency_key == "order-1"
