"""What HTTP itself refuses, and what every answer carries. Source: agents, 7.3; contract, Limits."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings as django_settings
from django.db import connection as database
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from config.environment import env, origins
from core import rate_limits
from core.clock import now
from mcp.models import AgentConnection
from tests.conftest import ApiClient, Reply
from tests.mcp.agents import LEGACY, Agent, connected_agent, nobody
from tests.mcp.probe import Scene
from tests.mcp.test_rows import refusal

LIMIT = django_settings.MAX_BODY_BYTES


def told(reply: Reply) -> tuple[int, str]:
    """Status and our own code of a refusal by HTTP."""
    assert refusal(reply) == (reply.status, -32600, None)
    assert reply.body["error"]["data"]["request_id"] == reply.headers["Request-Id"]
    return reply.status, reply.body["error"]["data"]["code"]


OTHER_ORIGINS = (
    *("https://evil.example", "null", "", "http://localhost", "https://localhost:8000", "http://localhost:80000"),
    *("http://localhost:8000/", "http://localhost:8000.evil.example", "http://localhost:8000@evil.example"),
    *("http://evil.example/http://localhost:8000", "file://", "*", "http://localhost:8000, http://evil.example"),
)


def test_our_own_pages_and_those_that_the_operator_named(
    scene: Scene, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for allowed in (django_settings.BASE_URL, django_settings.BASE_URL.upper()):
        reply = scene.agent.rpc("tools/list", Origin=allowed)
        assert reply.status == 200
        assert "Access-Control-Allow-Origin" not in reply.headers
    settings.MCP_ALLOWED_ORIGINS = ["https://agent.example"]
    assert scene.agent.rpc("tools/list", Origin="https://Agent.example").status == 200
    assert told(scene.agent.rpc("tools/list", Origin="https://agent.example.evil")) == (403, "origin_not_allowed")
    # Origins are read.
    written = "https://A.example, http://b.example:81"
    for named, read in (("", []), (written, ["https://a.example", "http://b.example:81"])):
        monkeypatch.setitem(env.ENVIRON, "MCP_ALLOWED_ORIGINS", named)
        assert origins("MCP_ALLOWED_ORIGINS") == read
    for named in ("*", "agent.example", "https://a.example/path", "https://a.example,null"):
        monkeypatch.setitem(env.ENVIRON, "MCP_ALLOWED_ORIGINS", named)
        with pytest.raises(Exception, match="MCP_ALLOWED_ORIGINS must list origins"):
            origins("MCP_ALLOWED_ORIGINS")


def test_the_largest_body_and_one_byte_more(scene: Scene) -> None:
    for spare, expected in ((0, 200), (1, 413)):
        message = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}'
        reply = scene.agent.send(message + b" " * (LIMIT - len(message) + spare))
        assert reply.status == expected
    assert told(reply) == (413, "payload_too_large")
    assert reply.body["error"]["data"]["details"] == {"limit_bytes": LIMIT}
    assert told(scene.agent.send(b"[" * 10 * LIMIT)) == (413, "payload_too_large")
    scene.assert_untouched()


@pytest.mark.spec("Contract 13.1")
def test_ten_messages_a_second_of_each_connection(scene: Scene, settings: Settings) -> None:
    settings.RATE_LIMIT_SCALE = 1
    rate_limits.forget()
    replies = [scene.agent.rpc("ping", era=LEGACY) for _ in range(11)]
    assert [reply.status for reply in replies] == [200] * 10 + [429]
    assert replies[0].headers["RateLimit-Limit"] == "10"
    refused = replies[-1]
    assert told(refused) == (429, "rate_limited")
    assert refused.headers["Retry-After"] == "1"
    assert refused.body["error"]["data"]["details"]["scope"] == "agent"
    other = connected_agent(scene.agent.connection.merchant)
    assert other.rpc("ping", era=LEGACY).status == 200
    scene.assert_untouched()


def test_what_every_answer_carries(agent: Agent, anonymous: ApiClient) -> None:
    usual = anonymous.get("/tokens").headers
    answers = [agent.rpc("tools/list"), agent.rpc("x"), nobody().rpc("tools/list"), agent.send(b"", "GET")]
    answers.append(agent.message({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    assert [reply.status for reply in answers] == [200, 404, 401, 405, 202]
    for reply in answers:
        assert reply.headers["Cache-Control"] == "no-store"
        assert re.fullmatch(r"req_[0-9a-f]{32}", reply.headers["Request-Id"])
        for name in ("X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy"):
            assert reply.headers[name] == usual[name]
        assert "Set-Cookie" not in reply.headers


def test_what_http_itself_refuses(scene: Scene) -> None:
    for origin in OTHER_ORIGINS:
        assert told(scene.agent.rpc("tools/list", Origin=origin)) == (403, "origin_not_allowed"), origin
        assert told(nobody().rpc("tools/list", Origin=origin)) == (403, "origin_not_allowed"), origin
        assert told(scene.call_probe(Origin=origin)) == (403, "origin_not_allowed"), origin
    for host in ("evil.example", "evil.example:8000", "localhost@evil.example", "[", "a" * 300):
        assert told(scene.call_probe(Host=host)) == (400, "malformed_request"), host
        assert told(nobody().rpc("tools/list", Host=host)) == (400, "malformed_request"), host
    types = ("", "text/plain", "text/json", "application/xml", "application/x-www-form-urlencoded", ";", "json")
    for media_type in types:
        assert told(scene.call_probe(Content_Type=media_type)) == (415, "unsupported_media_type"), media_type
    for encoding in ("gzip", "br", "deflate, gzip"):
        assert told(scene.call_probe(Content_Encoding=encoding)) == (415, "unsupported_media_type"), encoding
    for accept in ("text/event-stream", "text/html, image/*", "application/json;q=0", "*/*; Q=0.000"):
        assert told(scene.call_probe(Accept=accept)) == (406, "not_acceptable"), accept
    # No other path is a door.
    for path in ("/mcp/", "/mcp/x", "/mcpx", "/mcp/sse", "/mcp%00", "/MCP"):
        reply = scene.agent.send(b"{}", "POST", path)
        assert reply.status == 404, path
        if path.startswith("/mcp"):
            assert (reply.body["code"], reply.body["details"]) == ("not_found", {"resource": "path"})
    scene.assert_untouched()


def test_json_however_it_is_declared_and_accepted(scene: Scene) -> None:
    for media_type in ("application/json; charset=utf-8", "Application/JSON", " application/json ;x"):
        assert scene.call_probe(Content_Type=media_type).status == 200, media_type
    accepted = ("application/json", "*/*", "application/*;q=0.1", "text/event-stream, APPLICATION/JSON;v=1", "")
    for accept in (*accepted, None, "text/html, */*;q=0.8"):
        reply = scene.call_probe(Accept=accept)
        assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json"), accept
    # No form token is asked for and no cookie is read.
    client = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {scene.agent.access_token}"})
    client.cookies["sessionid"] = "x"
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert client.post("/mcp", body, content_type="application/json").status_code == 200
    # A query changes nothing.
    assert scene.agent.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', "POST", "/mcp?id=2&method=x").body["id"] == 1


def last_use_and_writes(agent: Agent) -> tuple[object, int]:
    """As it stands after one harmless request, and how often that wrote."""
    with CaptureQueriesContext(database) as asked:
        assert agent.rpc("ping", era=LEGACY).status == 200
    written = sum(not query["sql"].startswith("SELECT") for query in asked.captured_queries)
    return AgentConnection.objects.get(pk=agent.connection.pk).last_used_at, written


def test_a_last_use_is_written_at_most_once_a_minute(agent: Agent) -> None:
    AgentConnection.objects.update(revoked_at=now())
    assert agent.rpc("ping", era=LEGACY).status == 401
    assert nobody().rpc("ping", era=LEGACY).status == 401
    assert AgentConnection.objects.get().last_used_at is None
    AgentConnection.objects.update(revoked_at=None)
    began = now()
    with time_machine.travel(began, tick=False) as clock:
        assert last_use_and_writes(agent) == (began, 1)
        clock.shift(timedelta(seconds=59))
        assert last_use_and_writes(agent) == (began, 0)
        clock.shift(timedelta(seconds=1))
        assert last_use_and_writes(agent) == (began + timedelta(seconds=60), 1)
