"""How often the token endpoint answers: strangers use up nothing of a client's; one that asks too often waits."""

from typing import Any

import pytest
from django.test import Client

from core import rate_limits
from core.buckets import Limit
from mcp.models import RefreshToken
from mcp.oauth import throttles
from mcp.oauth.throttles import ADDRESS_LIMITS
from tests.conftest import Reply, read_reply
from tests.mcp.oauth.flow import Agent

HOME, SHARED = "198.51.100.1", "203.0.113.7"


@pytest.fixture(autouse=True)
def _small_limits(settings: Any) -> None:
    settings.RATE_LIMIT_SCALE = 0.005
    rate_limits.forget()


def refresh(agent: Agent, token: str, address: str) -> Reply:
    """Ask for another access token from this address."""
    form = {"grant_type": "refresh_token", "client_id": agent.application.client_id, "refresh_token": token}
    return read_reply(Client(raise_request_exception=False, REMOTE_ADDR=address).post("/oauth/token", form))


def test_strangers_use_up_nothing_of_a_clients(agent: Agent) -> None:
    pair = agent.signed_in()
    for number in range(10):
        assert refresh(agent, "nonsense", f"203.0.113.{number}").status == 400
    assert refresh(agent, pair["refresh_token"], HOME).status == 200


def test_failures_of_one_address_are_counted(agent: Agent, monkeypatch: Any) -> None:
    assert Limit(count=60, window_seconds=60) == throttles.FAILURE_LIMIT
    monkeypatch.setitem(ADDRESS_LIMITS, "token", Limit(count=2000, window_seconds=60))
    pair = agent.signed_in()
    statuses = [refresh(agent, "nonsense", SHARED).status for _ in range(3)]
    assert statuses == [400, 429, 429]
    assert refresh(agent, pair["refresh_token"], SHARED).status == 200


def test_a_client_that_asks_too_often_waits_and_loses_nothing(agent: Agent, monkeypatch: Any) -> None:
    monkeypatch.setattr("mcp.oauth.throttles.CLIENT_LIMIT", Limit(count=200, window_seconds=60))
    rate_limits.forget()
    pair = agent.signed_in()
    rows = list(RefreshToken.objects.values())
    reply = refresh(agent, pair["refresh_token"], HOME)
    assert (reply.status, reply.body["details"]["scope"]) == (429, "oauth_token_client")
    assert list(RefreshToken.objects.values()) == rows
    rate_limits.forget()  # as if the minute were over; in Redis the levels stand under another name
    monkeypatch.setattr("core.redis_buckets.RedisBuckets.key_prefix", "a-minute-later")
    assert refresh(agent, pair["refresh_token"], SHARED).status == 200


def test_a_token_used_twice_ends_its_family_though_its_failure_was_one_too_many(agent: Agent, monkeypatch: Any) -> None:
    monkeypatch.setitem(ADDRESS_LIMITS, "token", Limit(count=2000, window_seconds=60))
    pair = agent.signed_in()
    newer = refresh(agent, pair["refresh_token"], SHARED).body
    assert [refresh(agent, "nonsense", SHARED).status for _ in range(2)] == [400, 429]
    assert refresh(agent, pair["refresh_token"], SHARED).status == 429
    assert not RefreshToken.objects.filter(revoked=None).exists()
    assert refresh(agent, newer["refresh_token"], HOME).body["error"] == "invalid_grant"
