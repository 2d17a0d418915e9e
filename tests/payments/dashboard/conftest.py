"""A stopped clock's merchant at its dashboard."""

import pytest
from django.core.cache import cache
from django.test import Client

from merchants.services import NewMerchant
from tests.merchants.people import OWNER, add_second_factor, sign_in


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    cache.clear()


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, with a second factor."""
    client = sign_in(OWNER)
    add_second_factor(OWNER)
    return client
