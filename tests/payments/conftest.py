"""The merchant's owner at the dashboard."""

import pytest
from django.core.cache import cache
from django.test import Client

from merchants.services import NewMerchant
from tests.merchants.people import OWNER, add_second_factor, confirm_identity, sign_in


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    cache.clear()


def signed_in(email: str) -> Client:
    """A browser of somebody who may go live and has just proven it."""
    client = sign_in(email)
    confirm_identity(client)
    add_second_factor(email)
    return client


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    return signed_in(OWNER)
