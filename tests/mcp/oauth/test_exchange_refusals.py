"""What the token endpoint refuses: status and code of each, and that nothing was issued."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from core.clock import now
from mcp.models import AccessToken, AgentConnection, Grant, RefreshToken, UsedCode
from mcp.oauth.resource import RESOURCE
from tests.conftest import Reply
from tests.mcp.oauth.flow import CALLBACK, Agent, ask, challenge_of, issued, new_application, new_verifier

Changes = dict[str, Any]
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"

BAD_EXCHANGES: dict[str, tuple[Changes, int, str]] = {
    "no grant type": ({"grant_type": None}, 400, "unsupported_grant_type"),
    "an empty grant type": ({"grant_type": ""}, 400, "unsupported_grant_type"),
    "the password grant": ({"grant_type": "password", "username": "a", "password": "b"}, 400, "unsupported_grant_type"),
    "the client grant": ({"grant_type": "client_credentials"}, 400, "unsupported_grant_type"),
    "the implicit grant": ({"grant_type": "implicit"}, 400, "unsupported_grant_type"),
    "the device grant": ({"grant_type": DEVICE, "device_code": "a"}, 400, "unsupported_grant_type"),
    "the device grant without a code": ({"grant_type": DEVICE}, 400, "unsupported_grant_type"),
    "an assertion": ({"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}, 400, "unsupported_grant_type"),
    "no code": ({"code": None}, 400, "invalid_request"),
    "an empty code": ({"code": ""}, 400, "invalid_grant"),
    "an unknown code": ({"code": "unknown"}, 400, "invalid_grant"),
    "a code with NUL": ({"code": "a\x00b"}, 400, "invalid_grant"),
    "no client": ({"client_id": None}, 401, "invalid_client"),
    "an unknown client": ({"client_id": "unknown"}, 401, "invalid_client"),
    "a client with NUL": ({"client_id": "a\x00b"}, 401, "invalid_client"),
    "a client that is a URL": ({"client_id": "https://client.example/metadata"}, 401, "invalid_client"),
    "a client with a made-up secret": ({"client_secret": "secret"}, 401, "invalid_client"),
    "no verifier": ({"code_verifier": None}, 400, "invalid_request"),
    "an empty verifier": ({"code_verifier": ""}, 400, "invalid_grant"),
    "another verifier": ({"code_verifier": new_verifier()}, 400, "invalid_grant"),
    "another redirect": ({"redirect_uri": CALLBACK + "/other"}, 400, "invalid_grant"),
    "the redirect with a query": ({"redirect_uri": CALLBACK + "?a=b"}, 400, "invalid_grant"),
    "a foreign resource": ({"resource": "https://evil.example/mcp"}, 400, "invalid_target"),
    "the server instead of its door": ({"resource": RESOURCE.removesuffix("/mcp")}, 400, "invalid_target"),
    "a path below the door": ({"resource": RESOURCE + "/admin"}, 400, "invalid_target"),
    "a look-alike of the resource": ({"resource": RESOURCE + ".evil.example"}, 400, "invalid_target"),
    "a resource with a user": ({"resource": RESOURCE.replace("://", "://a@")}, 400, "invalid_target"),
    "a resource with a query": ({"resource": RESOURCE + "?a=b"}, 400, "invalid_target"),
    "a resource that is no URI": ({"resource": "everything"}, 400, "invalid_target"),
    "ours and another resource": ({"resource": [RESOURCE, "https://evil.example"]}, 400, "invalid_target"),
}


def refused(reply: Reply, status: int, error: str) -> None:
    """An error of RFC 6749 that nobody may keep."""
    assert (reply.status, reply.body["error"]) == (status, error), reply.raw
    assert reply.headers["Cache-Control"] == "no-store"
    assert "access_token" not in reply.body


def test_a_bad_exchange_brings_nothing(agent: Agent) -> None:
    for changes, status, error in BAD_EXCHANGES.values():
        refused(agent.exchange(agent.consent(), **changes), status, error)
    assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.exists()


def test_a_plain_challenge_is_never_stored(agent: Agent) -> None:
    with pytest.raises(Exception, match="S256"):
        agent.consent(code_challenge=agent.verifier, code_challenge_method="plain")
    assert not Grant.objects.exists()


def test_the_challenge_does_not_pass_for_the_verifier(agent: Agent) -> None:
    refused(agent.exchange(agent.consent(), code_verifier=challenge_of(agent.verifier)), 400, "invalid_grant")


def test_another_client_cannot_exchange_a_code_and_does_not_spend_it(agent: Agent) -> None:
    code = agent.consent()
    other = new_application()
    refused(agent.exchange(code, client_id=other.client_id), 400, "invalid_grant")
    assert agent.exchange(code).status == 200


def test_a_code_lives_a_minute(agent: Agent) -> None:
    code = agent.consent()
    stored = Grant.objects.get()
    assert timedelta(seconds=55) < stored.expires - now() <= timedelta(seconds=60)
    Grant.objects.update(expires=now() - timedelta(seconds=1))
    refused(agent.exchange(code), 400, "invalid_grant")
    assert not AccessToken.objects.exists()


def _revoke(connection: AgentConnection) -> None:
    AgentConnection.objects.filter(pk=connection.pk).update(revoked_at=now())


def _end(connection: AgentConnection) -> None:
    AgentConnection.objects.filter(pk=connection.pk).update(expires_at=now() - timedelta(seconds=1))


def _lock_out(connection: AgentConnection) -> None:
    connection.user.is_active = False
    connection.user.save()


def _dismiss(connection: AgentConnection) -> None:
    connection.user.memberships.all().delete()


def _narrow(connection: AgentConnection) -> None:
    AgentConnection.objects.filter(pk=connection.pk).update(scopes=[])


ENDS = {"revoked": _revoke, "over": _end, "person-locked-out": _lock_out, "person-dismissed": _dismiss}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_connection_that_ended_brings_nothing(end: Callable[[AgentConnection], None], agent: Agent) -> None:
    code = agent.consent()
    end(agent.connection)
    refused(agent.exchange(code), 400, "invalid_grant")
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize("end", [*ENDS.values(), _narrow], ids=[*ENDS, "nothing-left"])
def test_a_connection_that_ended_is_not_refreshed(end: Callable[[AgentConnection], None], agent: Agent) -> None:
    pair = agent.signed_in()
    end(agent.connection)
    refused(agent.refresh(pair["refresh_token"]), 400, "invalid_grant")
    assert AccessToken.objects.count() == 1


WIDER = "payment_intents:read payouts:write"
BAD_REFRESHES: dict[str, tuple[Changes, int, str]] = {
    "no refresh token": ({"refresh_token": None}, 400, "invalid_request"),
    "an unknown refresh token": ({"refresh_token": "unknown"}, 400, "invalid_grant"),
    "one with NUL": ({"refresh_token": "a\x00b"}, 400, "invalid_grant"),
    "no client": ({"client_id": None}, 401, "invalid_client"),
    "an unknown client": ({"client_id": "unknown"}, 401, "invalid_client"),
    "a widened scope": ({"scope": WIDER}, 400, "invalid_scope"),
    "another scope": ({"scope": "refunds:write"}, 400, "invalid_scope"),
    "an unknown scope": ({"scope": "everything"}, 400, "invalid_scope"),
    "a foreign resource": ({"resource": "https://evil.example/mcp"}, 400, "invalid_target"),
    "ours and another resource": ({"resource": [RESOURCE, "https://evil.example"]}, 400, "invalid_target"),
}


def test_a_bad_refresh_changes_nothing(agent: Agent) -> None:
    pair = agent.signed_in()
    before = issued()
    others: Changes = {"another client": {"client_id": new_application().client_id}}
    others["an access token"] = {"refresh_token": pair["access_token"]}
    rows = BAD_REFRESHES | {name: (changes, 400, "invalid_grant") for name, changes in others.items()}
    for changes, status, error in rows.values():
        refused(agent.refresh(pair["refresh_token"], **changes), status, error)
    assert issued() == before
    assert agent.refresh(pair["refresh_token"]).status == 200


def test_what_was_narrowed_is_never_widened_again(agent: Agent) -> None:
    narrowed = agent.refresh(agent.signed_in()["refresh_token"], scope="tokens:read")
    assert narrowed.body["scope"] == "tokens:read"
    refused(agent.refresh(narrowed.body["refresh_token"], scope="payment_intents:read"), 400, "invalid_scope")


def test_only_a_form_is_read(client: Any, db: None) -> None:
    form, json = "application/x-www-form-urlencoded", "application/json"
    code = b'{"grant_type": "authorization_code"}'
    rows = [
        ("?grant_type=authorization_code", form, b""),
        ("", json, code),
        ("", form, b"%zz=%&&&=\xff"),
        ("", form, b""),
    ]
    for query, content_type, body in rows:
        response = client.post(f"/oauth/token{query}", body, content_type=content_type)
        assert response.status_code == 400
        assert response.json()["error"] in {"invalid_request", "unsupported_grant_type"}
    assert issued() == (0, 0, 0, 0)


def test_only_post_changes_anything(client: Any, db: None) -> None:
    for method, path in product(("GET", "PUT", "DELETE", "PATCH"), ("token", "revoke", "register")):
        assert client.generic(method, f"/oauth/{path}").status_code == 405
    assert issued() == (0, 0, 0, 0)


BAD_REVOCATIONS: dict[str, tuple[Changes, int]] = {
    "no token": ({"token": None}, 400),
    "no client": ({"client_id": None}, 401),
    "an unknown client": ({"client_id": "unknown"}, 401),
    "a token nobody has": ({"token": "unknown"}, 200),
    "a hint that is wrong": ({"token": "unknown", "token_type_hint": "password"}, 200),
}


def test_a_bad_revocation_ends_nothing(agent: Agent) -> None:
    pair = agent.signed_in()
    before = issued()
    form = {"client_id": agent.application.client_id, "token": pair["refresh_token"]}
    for changes, status in (*BAD_REVOCATIONS.values(), ({"client_id": new_application().client_id}, 200)):
        assert ask("/oauth/revoke", form | changes).status == status
        assert issued() == before


@pytest.mark.spec("Contract 16.1")
def test_without_consent_there_is_no_code(agent: Agent) -> None:
    with pytest.raises(Exception, match="access_denied"):
        agent.consent(connection=None)
    assert not Grant.objects.exists()
    assert not UsedCode.objects.exists()
