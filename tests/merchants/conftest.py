"""A browser that the owner sits at, and nobody locked out."""

import pytest
from django.core.cache import cache
from django.test import Client

from merchants.services import NewMerchant
from tests.merchants.people import proven


@pytest.fixture(autouse=True)
def _nobody_is_locked_out() -> None:
    cache.clear()


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    return proven()
