"""Allowing: a code of one connection goes back, in live mode for who just proved who they are, and more later on."""

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from pytest_django import Settings

from core.clock import now
from core.modes import Mode
from core.money import usd
from mcp.models import AgentConnection, AgentRecord, Application, AuditAction, Grant
from mcp.oauth.resource import RESOURCE
from mcp.services.connections import Limits, limits_of
from merchants.models import Merchant
from tests.mcp.consent.person import AUTHORIZE, NOTHING, Person, Shown, stored
from tests.mcp.oauth.flow import CALLBACK, Agent, new_application
from tests.merchants.people import add_second_factor


def limits(a_call: str, a_day: str, asked_above: str | None) -> Limits:
    above = None if asked_above is None else usd(asked_above)
    return Limits(per_call_usd=usd(a_call), per_day_usd=usd(a_day), approval_above_usd=above)


def test_allowing_sends_a_code_of_one_connection(person: Person, application: Application, merchant: Merchant) -> None:
    page = person.opens(application)
    assert page.status == 200
    assert stored() == NOTHING
    answer = person.presses(page)
    assert (answer.status, answer.target) == (302, CALLBACK)
    assert (answer.answer["state"], answer.answer["iss"]) == ("xyz", "http://localhost:8000")
    connection = AgentConnection.objects.get()
    assert (connection.merchant, connection.mode) == (merchant, Mode.TEST)
    assert (connection.user, connection.application) == (person.user, application)
    assert connection.scopes == ["payment_intents:read", "tokens:read", "webhooks:verify"]
    assert limits_of(connection) == limits("1000", "10000", None)
    assert (Grant.objects.get().connection, Grant.objects.get().resource) == (connection, [RESOURCE])
    record = AgentRecord.objects.get()
    assert (record.action, record.actor, record.connection_id) == (
        AuditAction.CONSENT,
        f"user:{person.user.pk}",
        connection.pk,
    )
    reply = Agent(application, connection, person.verifier).exchange(answer.answer["code"])
    assert (reply.status, reply.body["scope"]) == (200, "payment_intents:read tokens:read webhooks:verify")


MONEY = "tokens:read payouts:write"


@pytest.fixture
def armed(person: Person) -> Person:
    add_second_factor(person.user.email)
    return person


def live_page(person: Person, application: Application) -> Shown:
    """The page in live mode, as one gets there."""
    person.proves_it_again()
    return person.follows(person.opens(application, scope=MONEY).links["Live"])


def test_live_asks_who_is_there_again_and_begins_at_nothing(armed: Person, application: Application) -> None:
    link = armed.opens(application, scope=MONEY).links["Live"]
    answer = armed.follows(link)
    assert (answer.status, answer.target) == (302, "/accounts/reauthenticate/")
    assert stored() == NOTHING
    back = armed.client.post(answer.headers["Location"], {"password": "correct horse battery"})
    assert back.headers["Location"] == link
    page = armed.follows(link)
    assert (page.status, page.here) == (200, ["Live"])
    assert page.parts["mode-band"] == "LIVE Real payments and real money, and no other."
    # Live sends nothing until a limit is written down.
    offered = [page.fields[name] for name in ("per_call_usd", "per_day_usd", "approval_above_usd")]
    assert offered == ["0.00", "0.00", ""]
    assert armed.presses(page).status == 302
    connection = AgentConnection.objects.get()
    assert (connection.mode, limits_of(connection)) == (Mode.LIVE, limits("0", "0", None))


def test_limits_are_those_that_were_written_down(armed: Person, application: Application) -> None:
    page = live_page(armed, application)
    armed.presses(page, per_call_usd="250", per_day_usd="1000.50", approval_above_usd="99.99")
    connection = AgentConnection.objects.get()
    assert limits_of(connection) == limits("250", "1000.50", "99.99")
    # Limits without a scope for money do not count.
    AgentConnection.objects.update(revoked_at=now())
    page = live_page(armed, application)
    assert armed.presses(page, scopes=[], per_call_usd="250", per_day_usd="nonsense").status == 302
    assert AgentConnection.objects.latest("pk").per_call_usd == Decimal(0)


def test_a_proof_that_is_too_old_is_asked_for_again(armed: Person, application: Application) -> None:
    with time_machine.travel(now(), tick=False) as clock:
        page = live_page(armed, application)
        clock.shift(601)
        answer = armed.presses(page)
        assert (answer.status, answer.target) == (302, AUTHORIZE)
        assert armed.follows(answer.headers["Location"]).target == "/accounts/reauthenticate/"
    assert stored() == NOTHING


def test_a_second_factor_that_was_taken_off_meanwhile_ends_it(armed: Person, application: Application) -> None:
    page = live_page(armed, application)
    Authenticator.objects.filter(user=armed.user).delete()
    answer = armed.presses(page, per_call_usd="5")
    assert (answer.status, answer.target) == (302, AUTHORIZE)
    assert stored() == NOTHING
    # Live needs a second factor.
    page = live_page(armed, application)
    assert (page.status, page.here) == (200, ["Test"])
    assert page.parts["needs-factor"].startswith("Live mode needs a second factor on your account.")
    assert stored() == NOTHING


def test_the_embedded_default_can_do_without(person: Person, application: Application, settings: Settings) -> None:
    settings.REQUIRE_SECOND_FACTOR_FOR_LIVE = False
    assert person.follows(person.opens(application).links["Live"]).target == "/accounts/reauthenticate/"
    assert live_page(person, application).here == ["Live"]


READING = ["payment_intents:read", "tokens:read", "webhooks:verify"]


@pytest.fixture
def connection(person: Person, application: Application) -> AgentConnection:
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
    assert (after.pk, after.name, after.expires_at) == (connection.pk, "Till helper", connection.expires_at)
    assert limits_of(after) == limits("42", "84", "21")
    assert Grant.objects.latest("pk").scope.split() == after.scopes
    assert list(AgentRecord.objects.order_by("pk").values_list("action", flat=True)) == [
        AuditAction.CONSENT,
        AuditAction.STEP_UP,
    ]
    # Another client or person or merchant steps nothing up.
    page = person.opens(new_application(), scope="payouts:write")
    assert ("step-up" in page.parts, page.ticked) == (False, ["payouts:write"])
    person.presses(page)
    assert AgentConnection.objects.count() == 2


@pytest.mark.usefixtures("connection")
def test_cancelling_changes_nothing_and_what_is_unticked_is_taken_back(
    person: Person, application: Application
) -> None:
    before = AgentConnection.objects.values().get()
    person.presses(person.opens(application, scope="payouts:write"), "cancel")
    assert AgentConnection.objects.values().get() == before
    page = person.opens(application, scope="payouts:write")
    person.presses(page, scopes=["tokens:read", "payouts:write"])
    assert AgentConnection.objects.get().scopes == ["payouts:write", "tokens:read"]


@pytest.mark.parametrize("end", ["revoked_at", "expires_at"])
def test_an_ended_connection_is_not_widened(
    person: Person, application: Application, connection: AgentConnection, end: str
) -> None:
    AgentConnection.objects.update(**{end: now() - timedelta(seconds=1)})
    page = person.opens(application, scope="payouts:write")
    assert "step-up" not in page.parts
    person.presses(page)
    assert AgentConnection.objects.count() == 2
    assert AgentConnection.objects.get(pk=connection.pk).scopes == sorted([*READING, "refunds:write"])


def test_a_live_connection_is_widened_after_a_proof_while_it_lasts(
    person: Person, application: Application, connection: AgentConnection
) -> None:
    add_second_factor(person.user.email)
    AgentConnection.objects.update(mode=Mode.LIVE)
    assert person.opens(application, scope="payouts:write").target == "/accounts/reauthenticate/"
    person.proves_it_again()
    page = person.opens(application, scope="payouts:write")
    assert (page.here, page.fields["per_call_usd"]) == (["Live"], "42.00")
    # A connection that ends while the page is open is not widened.
    AgentConnection.objects.update(revoked_at=now())
    grants = Grant.objects.count()
    assert person.presses(page).target == "/oauth/authorize"
    assert (AgentConnection.objects.count(), Grant.objects.count()) == (1, grants)
