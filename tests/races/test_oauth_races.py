"""One code, one refresh token, many at once: one gets an answer, and what the others show ends it again."""

from functools import partial

import pytest

from mcp.models import AccessToken, AgentRecord, Grant, RefreshToken, UsedCode
from merchants.services import create_merchant
from tests.conftest import Reply
from tests.mcp.oauth.flow import Agent, new_application, new_connection
from tests.races.lineup import at_once, queued

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
REFUSED = (400, "invalid_grant")


@pytest.fixture
def agent() -> Agent:
    """A client that a person just said yes to."""
    account = create_merchant("Corner Shop", "owner@shop.example")
    application = new_application()
    return Agent(application, new_connection(account, application))


def _told(reply: Reply) -> tuple[int, str]:
    return reply.status, reply.body.get("error", "")


def test_of_eight_exchanges_of_one_code_one_is_answered(agent: Agent) -> None:
    code = agent.consent()
    endings = queued(Grant.objects.all(), [partial(agent.exchange, code)] * 8)
    told = sorted(_told(ending.result) for ending in endings)
    assert told == [(200, "")] + [REFUSED] * 7
    assert UsedCode.objects.count() == 1
    assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.filter(revoked__isnull=True).exists()
    assert AgentRecord.objects.get().code == "authorization_code_reused"


def test_of_eight_refreshes_with_one_token_one_is_answered(agent: Agent) -> None:
    spent = agent.signed_in()["refresh_token"]
    endings = queued(RefreshToken.objects.all(), [partial(agent.refresh, spent)] * 8)
    told = sorted(_told(ending.result) for ending in endings)
    assert told == [(200, "")] + [REFUSED] * 7
    assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.filter(revoked__isnull=True).exists()
    assert AgentRecord.objects.get().code == "refresh_token_reused"


def test_starting_at_the_same_instant_never_fails_otherwise(agent: Agent) -> None:
    for _ in range(5):
        code = agent.consent()
        told = [_told(ending.result) for ending in at_once([partial(agent.exchange, code)] * 8)]
        assert sorted(told) == [(200, "")] + [REFUSED] * 7
