"""The good way: the page is shown, allowed, and a code of one connection goes back to the client."""

from decimal import Decimal

from core.modes import Mode
from mcp.models import AgentConnection, AgentRecord, Application, Deed, Grant
from mcp.oauth.resource import RESOURCE
from merchants.models import Merchant
from tests.mcp.consent.person import NOTHING, Person, stored
from tests.mcp.oauth.flow import CALLBACK, ask


def test_allowing_sends_a_code_of_one_connection(person: Person, application: Application, merchant: Merchant) -> None:
    page = person.opens(application)
    assert page.status == 200
    assert stored() == NOTHING
    answer = person.presses(page)
    assert (answer.status, answer.target) == (302, CALLBACK)
    assert (answer.answer["state"], answer.answer["iss"]) == ("xyz", "http://localhost:8000")
    connection = AgentConnection.objects.get()
    assert (connection.merchant, connection.mode, connection.user, connection.application) == (
        merchant,
        Mode.TEST,
        person.user,
        application,
    )
    assert connection.scopes == ["payment_intents:read", "tokens:read", "webhooks:verify"]
    assert (connection.per_call_usd, connection.per_day_usd, connection.approval_above_usd) == (
        Decimal(1000),
        Decimal(10000),
        None,
    )
    assert (Grant.objects.get().connection, Grant.objects.get().resource) == (connection, [RESOURCE])
    record = AgentRecord.objects.get()
    assert (record.deed, record.actor, record.connection_id) == (Deed.CONSENT, f"user:{person.user.pk}", connection.pk)
    form = {
        "grant_type": "authorization_code",
        "client_id": application.client_id,
        "code": answer.answer["code"],
        "code_verifier": person.verifier,
        "redirect_uri": CALLBACK,
    }
    reply = ask("/oauth/token", form)
    assert (reply.status, reply.body["scope"]) == (200, "payment_intents:read tokens:read webhooks:verify")
