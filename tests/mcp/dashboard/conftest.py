"""The people in front of the agents' pages, and agents for them to look at."""

import pytest
from django.core.cache import cache
from django.test import Client

from mcp.models import AgentConnection
from merchants.models import Role
from merchants.services import NewMerchant
from tests.mcp.rows import connection_of
from tests.merchants.people import OWNER, add_member, confirm_identity, sign_in


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    cache.clear()


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed."""
    client = sign_in(OWNER)
    confirm_identity(client)
    return client


@pytest.fixture
def viewer(account: NewMerchant) -> Client:
    """The browser of somebody who may only look, identity just confirmed."""
    add_member(account.merchant, "viewer@shop.example", Role.VIEWER)
    client = sign_in("viewer@shop.example")
    confirm_identity(client)
    return client


@pytest.fixture
def agent(account: NewMerchant) -> AgentConnection:
    return connection_of(account)


@pytest.fixture
def foreign(other_account: NewMerchant) -> AgentConnection:
    return connection_of(other_account, client_name="Somebody else's")
