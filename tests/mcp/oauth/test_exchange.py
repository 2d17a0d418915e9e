"""The good way: a code becomes an access token, which is refreshed, revoked, and then opens nothing."""

import pytest

from mcp.models import AccessToken, RefreshToken
from mcp.oauth.access import believed_access_token
from mcp.oauth.resource import RESOURCE
from tests.mcp.oauth.flow import BASIC, Agent, ask


def test_a_code_becomes_an_access_token_of_its_connection(agent: Agent) -> None:
    reply = agent.exchange(agent.consent())
    assert reply.status == 200
    assert reply.headers["Cache-Control"] == "no-store"
    assert {key: reply.body[key] for key in ("token_type", "expires_in", "scope")} == {
        "token_type": "Bearer",
        "expires_in": 900,
        "scope": BASIC,
    }
    believed = believed_access_token(reply.body["access_token"])
    assert believed is not None
    assert (believed.connection, believed.user, believed.resource) == (
        agent.connection,
        agent.connection.user,
        [RESOURCE],
    )


@pytest.mark.spec("Contract 16.1")
def test_refreshing_gives_a_new_pair_and_ends_the_old_one(agent: Agent) -> None:
    first = agent.signed_in()
    second = agent.refresh(first["refresh_token"])
    assert second.status == 200
    assert second.body["scope"] == BASIC
    assert believed_access_token(first["access_token"]) is None
    assert believed_access_token(second.body["access_token"]) is not None
    assert {row.connection for row in RefreshToken.objects.all()} == {agent.connection}


def test_revoking_ends_both(agent: Agent) -> None:
    pair = agent.signed_in()
    form = {"client_id": agent.application.client_id, "token": pair["refresh_token"]}
    assert ask("/oauth/revoke", form).status == 200
    assert believed_access_token(pair["access_token"]) is None
    assert agent.refresh(pair["refresh_token"]).body["error"] == "invalid_grant"
    assert not AccessToken.objects.exists()
