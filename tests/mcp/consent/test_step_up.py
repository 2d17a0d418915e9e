"""A client that is connected asks for more: the same connection gets it, and only what was ticked."""

from datetime import timedelta
from decimal import Decimal

import pytest

from core.clock import now
from core.modes import Mode
from mcp.models import AgentConnection, AgentRecord, Application, Deed, Grant
from merchants.models import Merchant
from tests.mcp.consent.person import Person
from tests.mcp.oauth.flow import new_application
from tests.merchants.people import add_second_factor

READING = ["payment_intents:read", "tokens:read", "webhooks:verify"]


@pytest.fixture
def connection(person: Person, application: Application) -> AgentConnection:
    """What the person allowed before."""
    person.presses(
        person.opens(application, scope=" ".join([*READING, "refunds:write"])),
        per_call_usd="42",
        per_day_usd="84",
        approval_above_usd="21",
        name="Till helper",
        lifetime="7",
    )
    return AgentConnection.objects.get()


def test_more_is_granted_to_the_same_connection(
    person: Person, application: Application, connection: AgentConnection
) -> None:
    page = person.opens(application, scope="payouts:write")
    assert "since" in page.parts["step-up"]
    assert set(page.ticked) == {*READING, "refunds:write", "payouts:write"}
    assert page.text.count("data-new") == 1
    assert person.presses(page).status == 302
    after = AgentConnection.objects.get()
    assert after.scopes == sorted([*READING, "refunds:write", "payouts:write"])
    assert (
        after.pk,
        after.name,
        after.per_call_usd,
        after.per_day_usd,
        after.approval_above_usd,
        after.expires_at,
    ) == (
        connection.pk,
        "Till helper",
        Decimal(42),
        Decimal(84),
        Decimal(21),
        connection.expires_at,
    )
    assert Grant.objects.latest("pk").scope.split() == after.scopes
    assert list(AgentRecord.objects.order_by("pk").values_list("deed", flat=True)) == [Deed.CONSENT, Deed.STEP_UP]


def test_what_is_unticked_is_taken_back(person: Person, application: Application, connection: AgentConnection) -> None:
    page = person.opens(application, scope="payouts:write")
    person.presses(page, scopes=["tokens:read", "payouts:write"])
    assert AgentConnection.objects.get().scopes == ["payouts:write", "tokens:read"]


def test_cancelling_leaves_the_connection_as_it_was(
    person: Person, application: Application, connection: AgentConnection
) -> None:
    before = AgentConnection.objects.values().get()
    person.presses(person.opens(application, scope="payouts:write"), "cancel")
    assert AgentConnection.objects.values().get() == before


def test_another_client_or_person_or_merchant_steps_nothing_up(
    person: Person, merchant: Merchant, connection: AgentConnection
) -> None:
    page = person.opens(new_application(), scope="payouts:write")
    assert ("step-up" in page.parts, page.ticked) == (False, ["payouts:write"])
    person.presses(page)
    assert AgentConnection.objects.count() == 2


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_an_ended_connection_is_not_widened(
    person: Person, application: Application, connection: AgentConnection, end: str
) -> None:
    past = now() - timedelta(seconds=1)
    AgentConnection.objects.update(**{"revoked_at" if end == "revoked" else "expires_at": past})
    page = person.opens(application, scope="payouts:write")
    assert "step-up" not in page.parts
    person.presses(page)
    assert AgentConnection.objects.count() == 2
    assert AgentConnection.objects.get(pk=connection.pk).scopes == sorted([*READING, "refunds:write"])


def test_a_connection_that_ends_while_the_page_is_open_is_not_widened(
    person: Person, application: Application, connection: AgentConnection
) -> None:
    page = person.opens(application, scope="payouts:write")
    AgentConnection.objects.update(revoked_at=now())
    grants = Grant.objects.count()
    assert person.presses(page).target == "/oauth/authorize"
    assert (AgentConnection.objects.count(), Grant.objects.count()) == (1, grants)


def test_a_live_connection_opens_in_live_mode_after_a_proof(
    person: Person, application: Application, connection: AgentConnection
) -> None:
    add_second_factor(person.user.email)
    AgentConnection.objects.update(mode=Mode.LIVE)
    assert person.opens(application, scope="payouts:write").target == "/accounts/reauthenticate/"
    person.proves_it_again()
    page = person.opens(application, scope="payouts:write")
    assert (page.here, page.fields["per_call_usd"]) == (["Live"], "42.00")
