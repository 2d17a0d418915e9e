"""Somebody who may allow things, and a client that asks."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from mcp.models import Application
from merchants.models import Membership, Merchant, Role
from merchants.services import NewMerchant
from tests.mcp.consent.person import Person
from tests.mcp.oauth.flow import Agent, new_application, new_connection


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> Iterator[None]:
    """Signing in is counted; these tests sign in more often than people do."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def person(merchant: Merchant) -> Person:
    return Person(user=Membership.objects.get(merchant=merchant, role=Role.OWNER).user).sign_in()


@pytest.fixture
def application(db: None) -> Application:
    return new_application()


@pytest.fixture
def agent(account: NewMerchant, application: Application) -> Agent:
    """The same client, to which the owner said yes."""
    return Agent(application, new_connection(account, application))
