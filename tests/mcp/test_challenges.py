"""Who is not let in: every kind of credential that is no believed access token, and tokens that lack a scope.

Source: agents, 2 (401 and 403) and 7.3.
"""

from collections.abc import Callable
from itertools import product

import pytest
from django.conf import settings
from django.test import Client

from core.clock import now
from core.modes import Mode
from core.secrets import lookup_digest
from mcp.models import AgentConnection, AgentRecord
from mcp.scopes import Scope
from mcp.tools.registry import TOOLS
from merchants.services import NewMerchant
from tests.conftest import Reply, read_reply
from tests.factories.rows import all_rows
from tests.mcp.agents import ENVELOPE, LEGACY, MODERN, connected_agent, issued_access_token, nobody
from tests.mcp.probe import PROBE, Probe, Scene, planted_probe
from tests.mcp.test_rows import refusal

METADATA = f'resource_metadata="{settings.BASE_URL}/.well-known/oauth-protected-resource/mcp"'
CHALLENGE = f'Bearer {METADATA}, scope="payment_intents:read tokens:read webhooks:verify"'
NOT_BELIEVED = (
    f'{CHALLENGE}, error="invalid_token", '
    'error_description="The access token is unknown, expired, revoked, or not for this server."'
)
BASE = settings.BASE_URL


def assert_challenged(reply: Reply, challenge: str) -> None:
    """Check the one form of a 401: nothing in it says why."""
    assert refusal(reply) == (401, -32600, None)
    assert reply.headers["WWW-Authenticate"] == challenge
    assert reply.body["error"]["message"] == "Unauthorized"
    assert set(reply.body["error"]["data"]) == {"code", "details", "request_id"}
    assert reply.body["error"]["data"]["code"] == "unauthorized"


NO_TOKEN: dict[str, dict[str, str | None]] = {
    "nothing": {"Authorization": None},
    "an empty header": {"Authorization": ""},
    "a scheme without a token": {"Authorization": "Bearer"},
    "a scheme and spaces": {"Authorization": "Bearer   "},
    "another scheme": {"Authorization": "Basic dXNlcjpwYXNz"},
    "a token without a scheme": {"Authorization": "at_letmein"},
    "another header": {"Authorization": None, "X_Api_Key": "at_letmein"},
}
NOT_A_TOKEN: dict[str, Callable[[Scene, NewMerchant], str]] = {
    "a text": lambda scene, account: "letmein",
    "a token with more behind it": lambda scene, account: scene.agent.access_token + "x",
    "a token with less": lambda scene, account: scene.agent.access_token[:-1],
    "two tokens": lambda scene, account: f"{scene.agent.access_token} {scene.agent.access_token}",
    "two tokens and a comma": lambda scene, account: f"{scene.agent.access_token},{scene.agent.access_token}",
    "the stored checksum": lambda scene, account: lookup_digest(scene.agent.access_token),
    "a token in upper case": lambda scene, account: scene.agent.access_token.upper(),
    "10,000 characters": lambda scene, account: "a" * 10_000,
    "not ASCII": lambda scene, account: "at_é",
    "a secret key": lambda scene, account: account.test.secret_key,
    "a JSON web token without signature": lambda scene, account: "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
    "expired": lambda scene, account: issued_access_token(scene.agent.connection, expires=now()),
    "for another server": lambda scene, account: issued_access_token(scene.agent.connection, resource=[BASE]),
}
"""How a token ends stands in tests/mcp/oauth/test_access.py; here is what its bearer is told."""


def test_a_token_that_is_not_believed(scene: Scene, account: NewMerchant) -> None:
    for (name, made), era in product(NOT_A_TOKEN.items(), (MODERN, LEGACY)):
        raw = made(scene, account)
        reply = scene.call_probe(era, Authorization=f"Bearer {raw}".encode().decode("latin-1"))
        assert reply.status == 401, (name, era)
        assert_challenged(reply, NOT_BELIEVED)
        assert raw not in str(reply.headers)
        assert raw.encode() not in reply.raw
    scene.assert_untouched()


@pytest.mark.parametrize("era", [MODERN, LEGACY])
def test_a_missing_scope_is_named(era: str, account: NewMerchant, monkeypatch: pytest.MonkeyPatch) -> None:
    for scope in Scope:
        others = connected_agent(account.merchant, scopes=[other for other in Scope if other != scope])
        probe = planted_probe(monkeypatch, scope=scope)
        before = all_rows()
        reply = others.rpc("tools/call", {"name": PROBE, "arguments": {"no": "such"}}, era)
        assert refusal(reply) == (403, -32600, reply.body["id"])
        assert reply.headers["WWW-Authenticate"] == (
            f'Bearer error="insufficient_scope", scope="{scope}", {METADATA}, '
            'error_description="The merchant did not allow this. Ask it for the scopes that are named."'
        )
        assert reply.body["error"]["data"]["code"] == "insufficient_scope"
        assert reply.body["error"]["data"]["details"] == {"scopes": [str(scope)]}
        assert (probe.runs, all_rows()) == ([], before)
        line = AgentRecord.objects.latest("pk")
        assert (line.tool, line.outcome, line.code) == (PROBE, "denied", "insufficient_scope")
    assert AgentRecord.objects.count() == len(Scope)
    # What needs no scope.
    bare = connected_agent(account.merchant, scopes=[])
    assert len(bare.rpc("tools/list").body["result"]["tools"]) == len(TOOLS)
    assert bare.rpc("server/discover").status == 200


def test_somebody_elses_token_and_a_revoked_one_open_nothing(scene: Scene, other_account: NewMerchant) -> None:
    raw = issued_access_token(scene.agent.connection, user=other_account.owner)
    assert_challenged(scene.call_probe(Authorization=f"Bearer {raw}"), NOT_BELIEVED)
    # The scheme is read in any case.
    for scheme in ("Bearer", "bearer", "BEARER", "  Bearer "):
        assert scene.call_probe(Authorization=f"{scheme} {scene.agent.access_token}").status == 200, scheme
    # A token has no more scopes than its connection.
    AgentConnection.objects.update(scopes=[str(Scope.READ_TOKENS)])
    assert scene.call_probe().status == 403
    AgentConnection.objects.update(scopes=[str(scope) for scope in Scope])
    raw = issued_access_token(scene.agent.connection, scope="tokens:read")
    assert scene.call_probe(Authorization=f"Bearer {raw}").status == 403
    # Revoking stops the next call.
    assert scene.call_probe().status == 200
    AgentConnection.objects.update(revoked_at=now())
    assert_challenged(scene.call_probe(), NOT_BELIEVED)
    assert len(scene.probe.runs) == 4 + 1


def test_the_caller_is_the_connection(probe: Probe, account: NewMerchant) -> None:
    for mode in Mode:
        agent = connected_agent(account.merchant, mode)
        agent.call(PROBE)
        caller = probe.callers[-1]
        assert (caller.principal.merchant_id, caller.principal.mode) == (account.merchant.pk, mode)
        assert caller.principal.actor == f"agent:{agent.connection.pk}"
        assert caller.scopes == frozenset(Scope)


def test_without_a_token(scene: Scene, account: NewMerchant) -> None:
    for method, (name, headers) in product(("POST", "GET", "HEAD", "DELETE", "OPTIONS", "PUT"), NO_TOKEN.items()):
        reply = scene.agent.send(b"{", method, **headers)
        assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, CHALLENGE), (method, name)
        if method != "HEAD":
            assert_challenged(reply, CHALLENGE)
    # A token in the address or the body is none.
    raw = scene.agent.access_token
    for path in (f"/mcp?access_token={raw}", f"/mcp?token={raw}", f"/mcp?Authorization=Bearer%20{raw}"):
        assert_challenged(nobody().send(b"{}", "POST", path), CHALLENGE)
    form = f"access_token={raw}".encode()
    assert_challenged(nobody().send(form, Content_Type="application/x-www-form-urlencoded"), CHALLENGE)
    # A session opens nothing.
    browser = Client()
    browser.force_login(account.owner)
    assert_challenged(read_reply(browser.post("/mcp", b"{}", content_type="application/json")), CHALLENGE)
    # The envelope is not read before the token.
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": PROBE, "_meta": ENVELOPE}}
    assert_challenged(scene.agent.message(message, Authorization=None), CHALLENGE)
    scene.assert_untouched()
