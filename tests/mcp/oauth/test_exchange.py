"""The token endpoint: a code becomes an access token once; what is refused, what a repeat ends, what is thrown away.

Source: agents, What we must add 7 and 21.
"""

from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from core.clock import now
from mcp.models import (
    AccessToken,
    AgentConnection,
    AgentRecord,
    Application,
    AuditAction,
    Grant,
    RefreshToken,
    UsedCode,
)
from mcp.oauth import upkeep
from mcp.oauth.access import believed_access_token
from mcp.oauth.resource import RESOURCE
from merchants.models import Membership, User
from tests.conftest import Reply
from tests.each import faults
from tests.mcp.oauth.flow import BASIC, CALLBACK, OTHER_RESOURCES, Agent, ask, challenge_of, issued, new_application

ANOTHER_VERIFIER = "v" * 64


@pytest.mark.spec("Contract 16.1")
def test_a_code_becomes_an_access_token_which_is_refreshed_and_revoked(agent: Agent) -> None:
    reply = agent.exchange(agent.consent())
    assert (reply.status, reply.headers["Cache-Control"]) == (200, "no-store")
    told = [reply.body[key] for key in ("token_type", "expires_in", "scope")]
    assert told == ["Bearer", 900, BASIC]
    believed = believed_access_token(reply.body["access_token"])
    assert believed is not None
    assert (believed.connection, believed.user) == (agent.connection, agent.connection.user)
    assert believed.resource == [RESOURCE]
    # Refreshing gives a new pair and ends the old one.
    pair = agent.refresh(reply.body["refresh_token"]).body
    assert pair["scope"] == BASIC
    assert believed_access_token(reply.body["access_token"]) is None
    assert believed_access_token(pair["access_token"]) is not None
    assert {row.connection for row in RefreshToken.objects.all()} == {agent.connection}
    # Revoking ends both.
    form = {"client_id": agent.application.client_id, "token": pair["refresh_token"]}
    assert ask("/oauth/revoke", form).status == 200
    assert believed_access_token(pair["access_token"]) is None
    line = AgentRecord.objects.get()
    assert (line.action, line.outcome, line.connection_id) == (AuditAction.REVOCATION, "ok", agent.connection.pk)
    assert issued()[:3] == (0, 0, 0)
    assert agent.refresh(pair["refresh_token"]).body["error"] == "invalid_grant"
    assert not AccessToken.objects.exists()


def test_a_replayed_code_ends_everything_it_brought(agent: Agent) -> None:
    code, other = agent.consent(), agent.signed_in()
    first = agent.exchange(code).body
    newest = agent.refresh(first["refresh_token"]).body
    for _ in range(3):
        refused(agent.exchange(code), 400, "invalid_grant")
    assert believed_access_token(newest["access_token"]) is None
    assert agent.refresh(newest["refresh_token"]).status == 400
    # It is put down once and leaves another code's tokens alone.
    [line] = AgentRecord.objects.filter(code="authorization_code_reused")
    assert (line.action, line.outcome) == (AuditAction.REFUSAL, "denied")
    assert (line.connection_id, line.client_id) == (agent.connection.pk, agent.application.client_id)
    assert believed_access_token(other["access_token"]) is not None


def test_a_failed_exchange_burns_the_code(agent: Agent) -> None:
    wrong = ({"code_verifier": ANOTHER_VERIFIER}, {"redirect_uri": "https://evil.example"}, {"code_verifier": None})
    for changes in wrong:
        code = agent.consent()
        assert agent.exchange(code, **changes).status == 400
        assert not Grant.objects.exists()
        refused(agent.exchange(code), 400, "invalid_grant")
    assert not AccessToken.objects.exists()
    assert AgentRecord.objects.count() == 0


def test_a_reused_refresh_token_ends_its_family_and_is_put_down(agent: Agent) -> None:
    first = agent.signed_in()
    second = agent.refresh(first["refresh_token"]).body
    third = agent.refresh(second["refresh_token"]).body
    form = {"grant_type": "refresh_token", "client_id": agent.application.client_id}
    reply = ask("/oauth/token", form | {"refresh_token": first["refresh_token"]}, User_Agent="thief/1.0")
    assert (reply.status, reply.body["error"]) == (400, "invalid_grant")
    assert believed_access_token(third["access_token"]) is None
    assert agent.refresh(third["refresh_token"]).status == 400
    assert not RefreshToken.objects.filter(revoked__isnull=True).exists()
    line = AgentRecord.objects.filter(action=AuditAction.REFUSAL).earliest("pk")
    assert (line.address, line.user_agent, line.request_id[:4]) == ("127.0.0.1", "thief/1.0", "req_")
    assert (line.code, line.outcome, line.connection_id) == ("refresh_token_reused", "denied", agent.connection.pk)
    assert (line.merchant_id, line.mode) == (agent.connection.merchant_id, agent.connection.mode)


Changes = dict[str, Any]
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
UNSUPPORTED: list[Changes] = [
    *({"grant_type": grant} for grant in (None, "", "client_credentials", "implicit", DEVICE)),
    {"grant_type": "password", "username": "a", "password": "b"},
    {"grant_type": DEVICE, "device_code": "a"},
    {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"},
]
NO_CLIENTS = (None, "unknown", "a\x00b", "https://client.example/metadata")
BAD_EXCHANGES: list[tuple[Changes, int, str]] = [
    *((changes, 400, "unsupported_grant_type") for changes in UNSUPPORTED),
    *(({"client_id": client}, 401, "invalid_client") for client in NO_CLIENTS),
    ({"client_secret": "made up"}, 401, "invalid_client"),
    *(({name: None}, 400, "invalid_request") for name in ("code", "code_verifier")),
    *(({"code": code}, 400, "invalid_grant") for code in ("", "unknown", "a\x00b")),
    *(({"code_verifier": verifier}, 400, "invalid_grant") for verifier in ("", ANOTHER_VERIFIER)),
    *(({"redirect_uri": CALLBACK + more}, 400, "invalid_grant") for more in ("/other", "?a=b")),
    *(({"resource": resource}, 400, "invalid_target") for resource in OTHER_RESOURCES),
]


def refused(reply: Reply, status: int, error: str) -> None:
    """An error of RFC 6749 that nobody may keep."""
    assert (reply.status, reply.body["error"]) == (status, error), reply.raw
    assert reply.headers["Cache-Control"] == "no-store"
    assert "access_token" not in reply.body


def test_a_bad_exchange_brings_nothing(agent: Agent) -> None:
    for changes, status, error in BAD_EXCHANGES:
        refused(agent.exchange(agent.consent(), **changes), status, error)
    refused(agent.exchange(agent.consent(), code_verifier=challenge_of(agent.verifier)), 400, "invalid_grant")
    assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.exists()


@pytest.mark.spec("Contract 16.1")
def test_without_consent_there_is_no_code(agent: Agent) -> None:
    with pytest.raises(Exception, match="access_denied"):
        agent.consent(connection=None)
    assert not UsedCode.objects.exists()
    # A plain challenge is never stored.
    with pytest.raises(Exception, match="S256"):
        agent.consent(code_challenge=agent.verifier, code_challenge_method="plain")
    assert not Grant.objects.exists()


def test_a_code_lives_a_minute_and_is_its_clients(agent: Agent) -> None:
    code = agent.consent()
    stored = Grant.objects.get()
    assert timedelta(seconds=55) < stored.expires - now() < timedelta(seconds=60, milliseconds=1)  # as ``now`` counts
    Grant.objects.update(expires=now() - timedelta(seconds=1))
    refused(agent.exchange(code), 400, "invalid_grant")
    assert not AccessToken.objects.exists()
    # Another client cannot exchange a code and does not spend it.
    code = agent.consent()
    other = new_application()
    refused(agent.exchange(code, client_id=other.client_id), 400, "invalid_grant")
    assert agent.exchange(code).status == 200


ENDS: dict[str, Callable[[AgentConnection], Any]] = {
    "revoked": lambda connection: AgentConnection.objects.update(revoked_at=now()),
    "over": lambda connection: AgentConnection.objects.update(expires_at=now() - timedelta(seconds=1)),
    "nothing left": lambda connection: AgentConnection.objects.update(scopes=[]),
    "person locked out": lambda connection: User.objects.filter(pk=connection.user_id).update(is_active=False),
    "person dismissed": lambda connection: Membership.objects.filter(user=connection.user_id).delete(),
}


def test_a_connection_that_ended_brings_nothing_and_is_not_refreshed(agent: Agent) -> None:
    pair, code = agent.signed_in(), agent.consent()

    def brings_nothing(name: str) -> None:
        ENDS[name](agent.connection)
        refused(agent.refresh(pair["refresh_token"]), 400, "invalid_grant")
        if name != "nothing left":
            refused(agent.exchange(code), 400, "invalid_grant")
        assert AccessToken.objects.count() == 1

    assert faults(brings_nothing, ENDS) == {}


WIDER = "payment_intents:read payouts:write"
BAD_REFRESHES: list[tuple[Changes, int, str]] = [
    ({"refresh_token": None}, 400, "invalid_request"),
    *(({"refresh_token": token}, 400, "invalid_grant") for token in ("unknown", "a\x00b")),
    *(({"client_id": client}, 401, "invalid_client") for client in NO_CLIENTS[:2]),
    *(({"scope": scope}, 400, "invalid_scope") for scope in (WIDER, "refunds:write", "everything")),
    *(({"resource": resource}, 400, "invalid_target") for resource in OTHER_RESOURCES),
]


def test_what_was_narrowed_is_never_widened_again(agent: Agent) -> None:
    narrowed = agent.refresh(agent.signed_in()["refresh_token"], scope="tokens:read")
    assert narrowed.body["scope"] == "tokens:read"
    refused(agent.refresh(narrowed.body["refresh_token"], scope="payment_intents:read"), 400, "invalid_scope")


def test_only_a_posted_form_is_read(client: Any, db: None) -> None:
    form, code = "application/x-www-form-urlencoded", b'{"grant_type": "authorization_code"}'
    unread = [(form, b"%zz=%&&&=\xff"), (form, b""), ("application/json", code)]
    for query, (content_type, body) in product(("", "?grant_type=authorization_code"), unread):
        response = client.post(f"/oauth/token{query}", body, content_type=content_type)
        assert response.status_code == 400
        assert response.json()["error"] in {"invalid_request", "unsupported_grant_type"}
    for method, path in product(("GET", "PUT", "DELETE", "PATCH"), ("token", "revoke", "register")):
        assert client.generic(method, f"/oauth/{path}").status_code == 405
    assert issued() == (0, 0, 0, 0)


BAD_REVOCATIONS: list[tuple[Changes, int]] = [
    ({"token": None}, 400),
    *(({"client_id": client}, 401) for client in NO_CLIENTS[:2]),
    ({"token": "unknown"}, 200),
    ({"token": "unknown", "token_type_hint": "password"}, 200),
]


def test_a_bad_refresh_or_revocation_changes_nothing(agent: Agent) -> None:
    pair, other = agent.signed_in(), new_application().client_id
    before = issued()
    misused: list[Changes] = [{"client_id": other}, {"refresh_token": pair["access_token"]}]
    for changes, status, error in (*BAD_REFRESHES, *((changes, 400, "invalid_grant") for changes in misused)):
        refused(agent.refresh(pair["refresh_token"], **changes), status, error)
    assert issued() == before
    form = {"client_id": agent.application.client_id, "token": pair["refresh_token"]}
    for changes, status in (*BAD_REVOCATIONS, ({"client_id": other}, 200)):
        assert ask("/oauth/revoke", form | changes).status == status
        assert issued() == before


def test_clients_that_nobody_said_yes_to_are_forgotten_after_a_week(agent: Agent) -> None:
    def aged(days: int, application: Application | None = None, source: str = "dcr") -> Any:
        row = application or new_application(registration_source=source)
        Application.objects.filter(pk=row.pk).update(created=now() - timedelta(days=days))
        return row.pk

    kept = {aged(30, agent.application), aged(6), aged(30, source="manual")}
    aged(8)
    aged(8, source="cimd")
    upkeep.purge()
    assert set(Application.objects.values_list("pk", flat=True)) == kept


def test_what_is_over_is_deleted_and_what_shows_reuse_is_kept(agent: Agent) -> None:
    pair = agent.signed_in()
    agent.refresh(pair["refresh_token"])
    agent.consent()
    Grant.objects.update(expires=now() - timedelta(minutes=1))
    upkeep.purge()
    assert (Grant.objects.count(), UsedCode.objects.count(), RefreshToken.objects.count()) == (0, 1, 2)
    UsedCode.objects.update(used_at=now() - timedelta(days=31))
    AccessToken.objects.update(expires=now() - timedelta(days=31))
    upkeep.purge()
    assert (AccessToken.objects.count(), UsedCode.objects.count()) == (0, 0)
    assert RefreshToken.objects.filter(revoked__isnull=True).count() == 0
