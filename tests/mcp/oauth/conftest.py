"""An agent with a connection to the first merchant, in test mode."""

import pytest

from merchants.services import NewMerchant
from tests.mcp.consent.person import Person
from tests.mcp.oauth.flow import Agent, new_application, new_connection


@pytest.fixture
def agent(account: NewMerchant) -> Agent:
    """A registered client that a person just said yes to."""
    application = new_application()
    return Agent(application, new_connection(account, application))


@pytest.fixture
def person(account: NewMerchant) -> Person:
    """The merchant's owner, signed in; not by the form, which lets nobody try as often as there are cases."""
    owner = Person(account.owner)
    owner.client.force_login(owner.user)
    return owner
