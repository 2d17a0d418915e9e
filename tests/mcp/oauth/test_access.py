"""Which access tokens open the agents' door, and that no credential opens another door than its own."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.test import RequestFactory
from pytest_django import Settings

from core.clock import now
from core.modes import Mode
from mcp.models import AccessToken, AgentConnection
from mcp.oauth.access import believed_access_token
from mcp.oauth.resource import RESOURCE
from mcp.views.admission import authenticate
from merchants.models import Membership, Role, User
from merchants.services import NewMerchant
from tests.each import faults
from tests.mcp.oauth.flow import Agent, new_application, new_connection
from tests.merchants.people import add_second_factor

Harm = Callable[[AccessToken], Any]
SERVER = settings.BASE_URL


def _set(**changes: Any) -> Harm:
    return lambda token: AccessToken.objects.filter(pk=token.pk).update(**changes)


def _connection(**changes: Any) -> Harm:
    return lambda token: AgentConnection.objects.filter(pk=token.connection_id).update(**changes)


def _other_client(token: AccessToken) -> None:
    AccessToken.objects.filter(pk=token.pk).update(application=new_application())


OTHER_RESOURCES = (
    *((), (SERVER,), (f"{SERVER}/",), (f"{RESOURCE}/admin",), (f"{RESOURCE}/",), (RESOURCE.replace("mcp", "MCP"),)),
    *(("https://evil.example/mcp",), (RESOURCE, "https://evil.example/mcp")),
)
HARMS: dict[str, Harm] = {
    "it is over": _set(expires=now() - timedelta(seconds=1)),
    "it is over right now": _set(expires=now()),
    "it has no person, as a registration token": _set(user=None),
    "it has no connection": _set(connection=None),
    **{f"it is for {resources}": _set(resource=list(resources)) for resources in OTHER_RESOURCES},
    "its connection was revoked": _connection(revoked_at=now()),
    "its connection is over": _connection(expires_at=now() - timedelta(seconds=1)),
    "its client is another one": _other_client,
    "its person is locked out": lambda token: User.objects.filter(pk=token.user_id).update(is_active=False),
    "its person left the team": lambda token: token.user.memberships.all().delete(),
    "it is gone": lambda token: token.delete(),
}


def test_an_access_token_opens_nothing_when(agent: Agent) -> None:
    raw = agent.signed_in()["access_token"]

    def opens_nothing(name: str) -> None:
        believed = believed_access_token(raw)
        assert believed is not None
        HARMS[name](believed)
        assert believed_access_token(raw) is None

    assert faults(opens_nothing, HARMS) == {}


def test_mode_and_merchant_are_those_of_the_connection(
    account: NewMerchant, other_account: NewMerchant, agent: Agent
) -> None:
    live = Agent(agent.application, new_connection(account, agent.application, mode=Mode.LIVE))
    theirs = Agent(agent.application, new_connection(other_account, agent.application))
    seen: list[Any] = [believed_access_token(one.signed_in()["access_token"]) for one in (agent, live, theirs)]
    assert [(one.connection.merchant_id, one.connection.mode) for one in seen] == [
        (account.merchant.pk, "test"),
        (account.merchant.pk, "live"),
        (other_account.merchant.pk, "test"),
    ]
    # Another person's connection is not one's own.
    raw = agent.signed_in()["access_token"]
    stranger = other_account.merchant.memberships.get().user
    agent.connection.merchant.memberships.create(user=stranger, role="owner")
    AgentConnection.objects.filter(pk=agent.connection.pk).update(user=stranger)
    assert believed_access_token(raw) is None
    # A person of another team is not of this one.
    mine = AgentConnection.objects.filter(pk=agent.connection.pk)
    mine.update(user=agent.connection.user)
    assert believed_access_token(raw) is not None
    mine.update(merchant=other_account.merchant)
    assert believed_access_token(raw) is None


def test_believing_is_one_query(agent: Agent, django_assert_num_queries: Any) -> None:
    raw = agent.signed_in()["access_token"]
    with django_assert_num_queries(1):
        believed: Any = believed_access_token(raw)
        names = (believed.connection.merchant.name, believed.connection.application.name, believed.user.email)
    assert all(names)


def test_an_access_token_never_outlives_its_connection(account: NewMerchant) -> None:
    application = new_application()
    soon = now() + timedelta(seconds=120)
    agent = Agent(application, new_connection(account, application, expires_at=soon))
    pair = agent.signed_in()
    assert 100 <= pair["expires_in"] <= 120
    assert AccessToken.objects.get().expires <= soon + timedelta(seconds=1)


GRANTED = {"payment_intents:read", "payment_intents:write", "refunds:write"}


def test_an_agent_may_do_what_its_person_may_lend_now(agent: Agent) -> None:
    token = agent.signed_in()["access_token"]
    AgentConnection.objects.update(scopes=sorted(GRANTED))
    AccessToken.objects.update(scope=" ".join(sorted(GRANTED)))
    request = RequestFactory().post("/mcp", headers={"Authorization": f"Bearer {token}"})
    lent = []
    for role in (Role.OWNER, Role.DEVELOPER, Role.VIEWER, Role.ADMIN):
        Membership.objects.update(role=role)
        lent.append({str(scope) for scope in authenticate(request).scopes})
    assert lent == [GRANTED, GRANTED - {"refunds:write"}, {"payment_intents:read"}, GRANTED]


def test_nothing_of_live_mode_is_lent_by_who_has_no_second_factor_any_more(agent: Agent, settings: Settings) -> None:
    token = agent.signed_in()["access_token"]
    request = RequestFactory().post("/mcp", headers={"Authorization": f"Bearer {token}"})
    lent = []
    for mode, asks in ((Mode.LIVE, True), (Mode.TEST, True), (Mode.LIVE, False)):
        AgentConnection.objects.update(mode=mode)
        settings.REQUIRE_SECOND_FACTOR_FOR_LIVE = asks
        lent.append(bool(authenticate(request).scopes))
    assert lent == [False, True, True]
    settings.REQUIRE_SECOND_FACTOR_FOR_LIVE = True
    add_second_factor(AccessToken.objects.get().user.email)
    AgentConnection.objects.update(mode=Mode.LIVE)
    assert authenticate(request).scopes
