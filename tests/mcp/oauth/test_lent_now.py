"""What a token opens follows the person who lent it: whose role falls, lends less from the next call on."""

from django.test import RequestFactory

from mcp.authentication import authenticate
from mcp.models import AccessToken, AgentConnection
from merchants.models import Membership, Role
from tests.mcp.oauth.flow import Agent

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
