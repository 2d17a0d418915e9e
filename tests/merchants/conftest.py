"""A stopped clock, for what ends after a time, and a browser that the owner sits at."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from merchants.services import NewMerchant
from tests.merchants.people import OWNER, confirm_identity, sign_in
from tests.payments.world import World, stopped_clock


@pytest.fixture
def world() -> Iterator[World]:
    """Time passes only when the test says so. Ask for it before the keys, so that they are not from the future."""
    with stopped_clock() as stopped:
        yield stopped


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    cache.clear()


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed."""
    client = sign_in(OWNER)
    confirm_identity(client)
    return client
