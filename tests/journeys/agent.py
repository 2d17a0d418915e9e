"""An agent as any program might be one: speaks to ``/mcp`` over HTTP with an access token, no trace of the service."""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.journeys.http_caller import Answer, Caller, soon
from tests.journeys.programs import Embedded
from tests.machine import pause

REVISION = "2026-07-28"
TOO_MANY = 429
_PREFIX = "io.modelcontextprotocol/"
_numbers = itertools.count(1)
_CONNECT = """
from datetime import timedelta
from core.clock import now
from core.money import usd
from core.secrets import random_token
from mcp.models import AccessToken, AgentConnection, Application
from mcp.scopes import Scope
from merchants.models import Membership
owner = Membership.objects.select_related("user").get(merchant__name="Demo Shop", role="owner")
application = Application.objects.create(
    name="Journey", client_type="public", authorization_grant_type="authorization-code",
    redirect_uris="http://127.0.0.1/callback",
)
connection = AgentConnection.objects.create(
    merchant_id=owner.merchant_id, mode="test", user=owner.user, application=application,
    scopes=[scope.value for scope in Scope], per_call_usd=usd("1000"), per_day_usd=usd("10000"),
)
raw = random_token("at_")
AccessToken.objects.create(
    token=raw, user=owner.user, application=application, connection=connection, scope=" ".join(connection.scopes),
    expires=now() + timedelta(minutes=15), resource=[{resource!r}],
)
print(raw)
"""
"""What a person's consent leaves behind. Why by hand: this is about the tools; the way there has its own tests."""


@dataclass(frozen=True, kw_only=True)
class Agent:
    """Calls tools. ``door.key`` is the access token."""

    door: Caller

    def send(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """One tool call as it goes over the wire, and again after the wait that the service asks for."""
        while (answer := self._send_once(tool, arguments)).status == TOO_MANY:
            pause(answer.body["error"]["data"]["details"]["retry_after_seconds"])
        return answer

    def _send_once(self, tool: str, arguments: dict[str, Any]) -> Answer:
        meta = {f"{_PREFIX}protocolVersion": REVISION, f"{_PREFIX}clientCapabilities": {}}
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": next(_numbers), "method": "tools/call", "params": params}
        headers = {"MCP_Protocol_Version": REVISION, "Mcp_Method": "tools/call", "Mcp_Name": tool}
        return self.door.post("/mcp", message, Accept="application/json, text/event-stream", **headers)

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a call that succeeds."""
        answer = self.send(tool, arguments)
        assert answer.status == 200, answer.raw
        result = answer.body["result"]
        assert not result["isError"], answer.raw
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def refused(self, tool: str, **arguments: Any) -> Any:
        """The refusal of a call that is answered with one."""
        answer = self.send(tool, arguments)
        assert answer.status == 200, answer.raw
        result = answer.body["result"]
        assert result["isError"], answer.raw
        return json.loads(result["content"][0]["text"])

    def until(self, found: Callable[[Any], bool], tool: str, **arguments: Any) -> Any:
        """The first result of a call, made again and again, of which this is true."""

        def look() -> Any:
            result = self.call(tool, **arguments)
            return result if found(result) else None

        return soon(look, f"{tool} {arguments}")


def connected(service: Embedded) -> Agent:
    """An agent that the demo merchant let do everything in test mode."""
    printed = service.manage("shell", "-c", _CONNECT.format(resource=f"{service.base_url}/mcp"))
    return Agent(door=Caller(base_url=service.base_url, key=printed.split()[-1]))
