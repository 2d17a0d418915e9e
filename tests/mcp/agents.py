"""An agent that a merchant connected, and what it says over HTTP in either era."""

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import orjson
from django.conf import settings
from django.test import Client

from core.clock import now
from core.modes import Mode
from core.secrets import random_token
from mcp.models import AccessToken, AgentConnection
from mcp.protocol.versions import VENDOR
from mcp.scopes import Scope
from merchants.accounts import has_second_factor
from merchants.models import Merchant
from tests.conftest import Reply, read_reply
from tests.mcp.oauth.flow import new_application
from tests.merchants.people import add_second_factor

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
ACCEPT = "application/json, text/event-stream"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
ENVELOPE = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_numbers = itertools.count(1)


@dataclass(frozen=True)
class ToolReply:
    """What a tool call came to: ``result`` of a success, or ``error`` (``{error, code, details}``) of a refusal."""

    reply: Reply
    is_error: bool
    result: Any
    error: Any

    @property
    def code(self) -> str:
        return str(self.error["code"]) if self.error else ""


@dataclass(frozen=True)
class Agent:
    """Speaks MCP with one access token."""

    access_token: str
    connection: AgentConnection
    headers: Mapping[str, str] = field(default_factory=dict)

    def send(self, body: bytes, method: str = "POST", path: str = "/mcp", /, **headers: str | None) -> Reply:
        """Send raw bytes; header names are written with underscores, None leaves a usual one out."""
        sent: dict[str, str | None] = {
            "Authorization": f"Bearer {self.access_token}" if self.access_token else None,
            "Content-Type": "application/json",
            "Accept": ACCEPT,
            **self.headers,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        plain = {name: value for name, value in sent.items() if value is not None}
        client = Client(raise_request_exception=False, headers=plain)
        return read_reply(client.generic(method, path, body, content_type=plain.get("Content-Type", "")))

    def message(self, message: object, **headers: str | None) -> Reply:
        return self.send(orjson.dumps(message), **headers)

    def rpc(
        self, method: str, params: Mapping[str, Any] | None = None, era: str = MODERN, **headers: str | None
    ) -> Reply:
        """Send a request as a good client of that revision does; ``era`` is the revision's name."""
        asked = dict(params or {})
        usual: dict[str, str | None] = {"Mcp-Protocol-Version": era}
        if era == MODERN:
            asked = {**asked, "_meta": {**ENVELOPE, **asked.get("_meta", {})}}
            usual["Mcp-Method"] = method
            usual["Mcp-Name"] = asked.get(_NAMED_BY.get(method, ""))
        message = {"jsonrpc": "2.0", "id": next(_numbers), "method": method, "params": asked}
        usual |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in usual.items() if value is not None}
        return replace(self, headers={**self.headers, **sent}).message(message)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, era: str = MODERN) -> ToolReply:
        """Call a tool that must be let in; its result, or its refusal."""
        reply = self.rpc("tools/call", {"name": tool, "arguments": dict(arguments or {})}, era)
        assert reply.status == 200, reply.raw[:500]
        assert "result" in reply.body, reply.raw[:500]
        result = reply.body["result"]
        text = json.loads(result["content"][0]["text"])
        if result["isError"]:
            assert result["_meta"][f"{VENDOR}/error"] == text
            return ToolReply(reply, is_error=True, result=None, error=text)
        assert result["structuredContent"] == text
        return ToolReply(reply, is_error=False, result=text, error=None)


def connected_agent(
    merchant: Merchant, mode: Mode = Mode.TEST, scopes: Iterable[Scope] = tuple(Scope), **limits: Any
) -> Agent:
    """An agent that the merchant's owner connected, for live mode with a second factor; ``limits`` are columns."""
    owner = merchant.memberships.get(role="owner").user
    if mode == Mode.LIVE and not has_second_factor(owner):
        add_second_factor(owner.email)
    connection = AgentConnection.objects.create(
        merchant=merchant,
        mode=mode,
        user=owner,
        application=new_application(),
        scopes=[str(scope) for scope in scopes],
        **limits,
    )
    return Agent(issued_access_token(connection), connection)


def issued_access_token(connection: AgentConnection, /, **columns: Any) -> str:
    """A fresh access token of a connection; ``columns`` replace what it would usually be."""
    raw = random_token("at_")
    usual: dict[str, Any] = {
        "token": raw,
        "user": connection.user,
        "application": connection.application,
        "connection": connection,
        "scope": " ".join(connection.scopes),
        "expires": now() + timedelta(minutes=15),
        "resource": [f"{settings.BASE_URL}/mcp"],
    }
    AccessToken.objects.create(**{**usual, **columns})
    return raw


def nobody() -> Agent:
    return Agent("", AgentConnection())
