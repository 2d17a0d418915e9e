"""What comes a second time ends what the first time brought. Source: agents, What we must add 7 and 21."""

import pytest

from mcp.models import AccessToken, AgentRecord, Deed, Grant, RefreshToken, UsedCode
from mcp.oauth.access import believed_access_token
from tests.mcp.oauth.flow import Agent, ask, issued, new_verifier


def test_a_replayed_code_ends_everything_it_brought(agent: Agent) -> None:
    code = agent.consent()
    first = agent.exchange(code).body
    newest = agent.refresh(first["refresh_token"]).body
    reply = agent.exchange(code)
    assert (reply.status, reply.body["error"]) == (400, "invalid_grant")
    assert believed_access_token(newest["access_token"]) is None
    assert agent.refresh(newest["refresh_token"]).status == 400
    [line] = AgentRecord.objects.filter(code="authorization_code_reused")
    assert (line.deed, line.outcome, line.connection_id, line.client_id) == (
        Deed.REFUSAL,
        "denied",
        agent.connection.pk,
        agent.application.client_id,
    )


def test_a_replay_leaves_another_codes_tokens_alone(agent: Agent) -> None:
    code = agent.consent()
    agent.exchange(code)
    other = agent.signed_in()
    agent.exchange(code)
    assert believed_access_token(other["access_token"]) is not None


def test_a_replay_is_put_down_once(agent: Agent) -> None:
    code = agent.consent()
    agent.exchange(code)
    for _ in range(3):
        agent.exchange(code)
    assert AgentRecord.objects.count() == 1


@pytest.mark.parametrize(
    "changes",
    [{"code_verifier": new_verifier()}, {"redirect_uri": "https://evil.example"}, {"code_verifier": None}],
    ids=["wrong-verifier", "wrong-redirect", "no-verifier"],
)
def test_a_failed_exchange_burns_the_code(changes: dict[str, str | None], agent: Agent) -> None:
    code = agent.consent()
    assert agent.exchange(code, **changes).status == 400
    assert not Grant.objects.exists()
    reply = agent.exchange(code)
    assert (reply.status, reply.body["error"]) == (400, "invalid_grant")
    assert not AccessToken.objects.exists()
    assert AgentRecord.objects.count() == 0


def test_a_reused_refresh_token_ends_its_family_and_is_put_down(agent: Agent) -> None:
    first = agent.signed_in()
    second = agent.refresh(first["refresh_token"]).body
    third = agent.refresh(second["refresh_token"]).body
    reply = agent.refresh(first["refresh_token"], **{})
    assert (reply.status, reply.body["error"]) == (400, "invalid_grant")
    assert believed_access_token(third["access_token"]) is None
    assert agent.refresh(third["refresh_token"]).status == 400
    assert not RefreshToken.objects.filter(revoked__isnull=True).exists()
    [line] = AgentRecord.objects.filter(deed=Deed.REFUSAL)
    assert (line.code, line.outcome, line.connection_id, line.merchant_id, line.mode) == (
        "refresh_token_reused",
        "denied",
        agent.connection.pk,
        agent.connection.merchant_id,
        agent.connection.mode,
    )


def test_the_audit_says_from_where(agent: Agent) -> None:
    first = agent.signed_in()
    agent.refresh(first["refresh_token"])
    form = {"grant_type": "refresh_token", "client_id": agent.application.client_id}
    ask("/oauth/token", form | {"refresh_token": first["refresh_token"]}, User_Agent="thief/1.0")
    line = AgentRecord.objects.get()
    assert (line.address, line.user_agent, line.request_id[:4]) == ("127.0.0.1", "thief/1.0", "req_")


def test_a_revocation_by_the_client_is_put_down(agent: Agent) -> None:
    pair = agent.signed_in()
    ask("/oauth/revoke", {"client_id": agent.application.client_id, "token": pair["access_token"]})
    line = AgentRecord.objects.get()
    assert (line.deed, line.outcome, line.connection_id) == (Deed.REVOCATION, "ok", agent.connection.pk)
    assert issued()[:3] == (0, 0, 0)


def test_nothing_is_stored_that_could_be_used(agent: Agent) -> None:
    code = agent.consent()
    pair = agent.exchange(code).body
    agent.refresh(pair["refresh_token"])
    secrets = (code, pair["access_token"], pair["refresh_token"], agent.verifier)
    for model in (Grant, AccessToken, RefreshToken, UsedCode, AgentRecord):
        stored = repr(list(model.objects.values()))
        assert not [secret for secret in secrets if secret in stored], model
