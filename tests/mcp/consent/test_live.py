"""Live mode: never by itself, only for who just proved who they are, and with a second factor."""

from decimal import Decimal

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from pytest_django import Settings

from core.clock import now
from core.modes import Mode
from mcp.models import AgentConnection, Application
from tests.mcp.consent.person import AUTHORIZE, NOTHING, Person, Shown, stored
from tests.merchants.people import add_second_factor

MONEY = "tokens:read payouts:write"


@pytest.fixture
def armed(person: Person) -> Person:
    """The owner, with a second factor."""
    add_second_factor(person.user.email)
    return person


def live_page(person: Person, application: Application) -> Shown:
    """The page in live mode, as one gets there."""
    person.proves_it_again()
    return person.follows(person.opens(application, scope=MONEY).links["Live"])


def test_live_asks_who_is_there_again(armed: Person, application: Application) -> None:
    link = armed.opens(application, scope=MONEY).links["Live"]
    answer = armed.follows(link)
    assert (answer.status, answer.target) == (302, "/accounts/reauthenticate/")
    assert stored() == NOTHING
    back = armed.client.post(answer.headers["Location"], {"password": "correct horse battery"})
    assert back.headers["Location"] == link
    page = armed.follows(link)
    assert (page.status, page.here) == (200, ["Live"])
    assert page.parts["mode-band"] == "LIVE Real payments and real money, and no other."


def test_live_sends_nothing_until_a_limit_is_written_down(armed: Person, application: Application) -> None:
    page = live_page(armed, application)
    assert (page.fields["per_call_usd"], page.fields["per_day_usd"], page.fields["approval_above_usd"]) == (
        "0.00",
        "0.00",
        "",
    )
    assert armed.presses(page).status == 302
    connection = AgentConnection.objects.get()
    assert (connection.mode, connection.per_call_usd, connection.per_day_usd) == (Mode.LIVE, Decimal(0), Decimal(0))


def test_limits_are_those_that_were_written_down(armed: Person, application: Application) -> None:
    page = live_page(armed, application)
    armed.presses(page, per_call_usd="250", per_day_usd="1000.50", approval_above_usd="99.99")
    connection = AgentConnection.objects.get()
    assert (connection.per_call_usd, connection.per_day_usd, connection.approval_above_usd) == (
        Decimal(250),
        Decimal("1000.50"),
        Decimal("99.99"),
    )


def test_limits_without_a_scope_for_money_do_not_count(armed: Person, application: Application) -> None:
    page = live_page(armed, application)
    assert armed.presses(page, scopes=[], per_call_usd="250", per_day_usd="nonsense").status == 302
    assert AgentConnection.objects.get().per_call_usd == Decimal(0)


def test_a_proof_that_is_too_old_is_asked_for_again(armed: Person, application: Application) -> None:
    with time_machine.travel(now(), tick=False) as clock:
        page = live_page(armed, application)
        clock.shift(601)
        answer = armed.presses(page)
        assert (answer.status, answer.target) == (302, AUTHORIZE)
        assert armed.follows(answer.headers["Location"]).target == "/accounts/reauthenticate/"
    assert stored() == NOTHING


def test_live_needs_a_second_factor(person: Person, application: Application) -> None:
    page = live_page(person, application)
    assert (page.status, page.here) == (200, ["Test"])
    assert page.parts["needs-factor"].startswith("Live mode needs a second factor on your account.")
    assert stored() == NOTHING


def test_a_second_factor_that_was_taken_off_meanwhile_ends_it(armed: Person, application: Application) -> None:
    page = live_page(armed, application)
    Authenticator.objects.filter(user=armed.user).delete()
    answer = armed.presses(page, per_call_usd="5")
    assert (answer.status, answer.target) == (302, AUTHORIZE)
    assert stored() == NOTHING


def test_the_embedded_default_can_do_without(person: Person, application: Application, settings: Settings) -> None:
    settings.REQUIRE_SECOND_FACTOR_FOR_LIVE = False
    assert person.follows(person.opens(application).links["Live"]).target == "/accounts/reauthenticate/"
    assert live_page(person, application).here == ["Live"]
