"""The official Python SDK as an agent: from the first refusal to a payout, a refresh and the last refusal.

Runs in an environment of its own (``scripts/install-agent-clients.sh``), with ``python -P``, outside the project.
Says what a person has to do in lines of JSON (``open`` an address, ``revoke`` the connection), and reports at the end.
Usage: python -P python_client.py <server url> <auto|legacy> <payment intent id> <its own name>
"""

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2

import mcp

assert "site-packages" in (mcp.__file__ or ""), f"this is not the SDK: {mcp.__file__}"

from mcp.client import Client  # noqa: E402 - the line above must come first
from mcp.client.auth import OAuthClientProvider  # noqa: E402 - as above
from mcp.client.streamable_http import streamable_http_client  # noqa: E402 - as above
from mcp.shared.auth import (  # noqa: E402 - as above
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

PATIENCE = 60.0
BETWEEN_POLLS = 0.3


def say(event: str, **facts: Any) -> None:
    print(json.dumps({"event": event, **facts}), flush=True)


async def said_done() -> None:
    """Wait until whoever started this has done what was asked last."""
    await anyio.to_thread.run_sync(sys.stdin.readline)


class NobodyIsThere(Exception):
    """The SDK wants consent, and the person has gone."""


class Storage:
    """Keeps what the SDK asks to be kept, and counts the access tokens that came."""

    def __init__(self) -> None:
        self.tokens: list[OAuthToken] = []
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens[-1] if self.tokens else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens.append(tokens.model_copy())

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


PAGE = b"<!doctype html><html lang=en><link rel=icon href=data:,><title>Done</title><p>You can close this page."


class Callback:
    """The client's own loopback address, to which the browser is sent with the code."""

    def __init__(self) -> None:
        callback = self
        self.queries: list[dict[str, str]] = []

        class _Request(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                if parts.path == "/callback":
                    callback.queries.append({name: value for name, [value] in parse_qs(parts.query).items()})
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(PAGE)))
                self.end_headers()
                self.wfile.write(PAGE)

            def log_message(self, format: str, *arguments: Any) -> None:
                """Quiet."""

        self._server = HTTPServer(("127.0.0.1", 0), _Request)
        self._server.timeout = PATIENCE

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/callback"

    async def wait(self) -> AuthorizationCodeResult:
        known = len(self.queries)
        while len(self.queries) == known:
            await anyio.to_thread.run_sync(self._server.handle_request)
        await said_done()
        query = self.queries[-1]
        return AuthorizationCodeResult(code=query.get("code", ""), state=query.get("state"), iss=query.get("iss"))


@dataclass
class Agent:
    """One client of the SDK with a person behind it, and every answer it got."""

    url: str
    mode: str
    name: str
    callback: Callback = field(default_factory=Callback)
    storage: Storage = field(default_factory=Storage)
    wire: list[str] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    nobody_is_there: bool = False
    auth: OAuthClientProvider = field(init=False)

    def __post_init__(self) -> None:
        metadata = OAuthClientMetadata.model_validate(
            {
                "client_name": self.name,
                "redirect_uris": [self.callback.url],
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "token_endpoint_auth_method": "none",
            }
        )
        self.auth = OAuthClientProvider(self.url, metadata, self.storage, self._open, self.callback.wait)

    async def _open(self, url: str) -> None:
        query = parse_qs(urlsplit(url).query)
        self.asked.append({name: query[name][0] for name in ("scope", "resource", "code_challenge_method")})
        if self.nobody_is_there:
            raise NobodyIsThere
        say("open", url=url)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Client]:
        """The SDK's client over HTTP, with everything that is answered written down."""
        hooks: dict[str, list[Callable[..., Awaitable[None]]]] = {"response": [self._note]}
        async with httpx2.AsyncClient(auth=self.auth, timeout=PATIENCE, event_hooks=hooks) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=self.mode, read_timeout_seconds=PATIENCE) as client:
                yield client

    async def _note(self, response: httpx2.Response) -> None:
        line = f"{response.request.method} {response.request.url.path} {response.status_code}"
        if [line] != self.wire[-1:]:
            self.wire.append(line)

    def expire(self) -> None:
        """Make the SDK believe that its access token ran out."""
        self.auth.context.token_expiry_time = 1.0

    async def give_back(self) -> int:
        """Revoke the newest refresh token at the endpoint that the metadata names; the status."""
        metadata, [*_, tokens] = self.auth.context.oauth_metadata, self.storage.tokens
        assert metadata is not None
        assert self.storage.client is not None
        form = {"token": tokens.refresh_token, "client_id": self.storage.client.client_id}
        async with httpx2.AsyncClient(timeout=PATIENCE) as http:
            return (await http.post(str(metadata.revocation_endpoint), data=form)).status_code


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers; the text must say the same as the structured content."""
    result = await client.call_tool(tool, arguments)
    [text] = [getattr(block, "text", "") for block in result.content]
    assert not result.is_error, text
    assert json.loads(text) == result.structured_content
    answer: dict[str, Any] = result.structured_content
    return answer


async def until(
    client: Client, tool: str, arguments: dict[str, Any], ready: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """What a tool answers as soon as something is true of it."""
    with anyio.fail_after(PATIENCE):
        while not ready(answer := await call(client, tool, **arguments)):
            await anyio.sleep(BETWEEN_POLLS)
    return answer


async def work(agent: Agent, client: Client, intent: str) -> dict[str, Any]:
    """Read, follow the settlement, pay out, follow the payout, and live on after the access token ran out."""
    about = {"payment_intent_id": intent}
    listed = [tool.name for tool in (await client.list_tools()).tools]
    token = await call(client, "list_tokens", limit=1)
    settled = await until(client, "poll_settlement", about, lambda answer: answer["terminal"])
    before = len(agent.asked)
    payout = await call(client, "create_payout", **about, idempotency_key=f"payout-{intent}")
    asked_in_between = len(agent.asked) - before
    again = await call(client, "create_payout", **about, idempotency_key=f"payout-{intent}")
    followed = await until(
        client,
        "get_payment_intent",
        {**about, "include": ["payouts"]},
        lambda answer: _payout(answer)["status"] == "paid",
    )
    agent.expire()
    count = len(agent.storage.tokens)
    after = await call(client, "poll_settlement", **about)
    return {
        "protocol_version": client.protocol_version,
        "server": client.server_info.name if client.server_info else None,
        "tools": listed,
        "tokens_listed": len(token["data"]),
        "settlement": settled,
        "payout": payout,
        "payout_again": again,
        "consents_for_payout": asked_in_between,
        "payout_followed": _payout(followed),
        "refreshes": len(agent.storage.tokens) - count,
        "after_refresh": after["status"],
    }


def _payout(answer: dict[str, Any]) -> dict[str, Any]:
    payouts = answer["payouts"]
    [payout] = payouts["data"] if isinstance(payouts, dict) else payouts
    return dict(payout)


async def main(url: str, mode: str, intent: str, name: str) -> None:
    """The whole way. The last call must end in a new request for consent, which nobody grants."""
    agent, report = Agent(url=url, mode=mode, name=name), {}
    try:
        async with agent.connected() as client:
            report |= await work(agent, client, intent)
            report["wire"] = list(agent.wire)
            report["given_back"] = await agent.give_back() if mode == "legacy" else None
            say("revoke")
            await said_done()
            agent.nobody_is_there = True
            agent.wire.clear()
            report["answered_afterwards"] = await call(client, "poll_settlement", payment_intent_id=intent)
    except* NobodyIsThere:
        report["wire_after_revocation"] = list(agent.wire)
    say("report", asked=agent.asked, scopes=[tokens.scope for tokens in agent.storage.tokens], **report)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
