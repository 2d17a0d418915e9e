"""What a person's two browser windows do at the same moment on the consent page."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.test import Client

from mcp.models import AgentConnection, AgentRecord, Grant
from mcp.services.connections import revoke_connection
from merchants.models import Membership, Merchant
from tests.mcp.consent.person import Person, Shown
from tests.mcp.oauth.flow import new_application
from tests.races.lineup import queued

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def person(merchant: Merchant) -> Person:
    """The merchant's owner, signed in."""
    return Person(user=Membership.objects.get(merchant=merchant).user).sign_in()


def window(person: Person) -> Person:
    """Another window of the same browser."""
    client = Client()
    client.cookies = person.client.cookies
    return Person(user=person.user, client=client, verifier=person.verifier)


def outcomes(answers: list[Shown]) -> list[str]:
    """What each answer was: a code, the page again, or a refusal."""
    return [
        "refused" if one.status == 400 else "code" if "code" in one.answer else f"to {one.target}" for one in answers
    ]


def test_a_page_that_is_sent_twice_at_once_gives_one_code(person: Person) -> None:
    page = person.opens(new_application())
    acts = [partial(window(person).presses, page) for _ in range(2)]
    endings = queued(Membership.objects.all(), acts)
    assert outcomes([ending.result for ending in endings]) == ["code", "refused"]
    assert (AgentConnection.objects.count(), Grant.objects.count(), AgentRecord.objects.count()) == (1, 1, 1)


def test_two_pages_at_once_make_one_connection(person: Person) -> None:
    application = new_application()
    pages = [person.opens(application) for _ in range(2)]
    acts = [partial(window(person).presses, page) for page in pages]
    endings = queued(Membership.objects.all(), acts)
    assert outcomes([ending.result for ending in endings]) == ["code", "to /oauth/authorize"]
    assert (AgentConnection.objects.count(), Grant.objects.count()) == (1, 1)


def test_a_step_up_that_waited_for_a_revocation_widens_nothing(person: Person) -> None:
    application = new_application()
    person.presses(person.opens(application))
    page = person.opens(application, scope="payouts:write")
    connection = AgentConnection.objects.get()
    acts: list[Callable[[], Any]] = [
        partial(revoke_connection, connection, actor="user:1"),
        partial(window(person).presses, page),
    ]
    [_, answer] = queued(AgentConnection.objects.all(), acts)
    assert outcomes([answer.result]) == ["to /oauth/authorize"]
    assert (Grant.objects.count(), AgentConnection.objects.get().scopes) == (0, connection.scopes)
