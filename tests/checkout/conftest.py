"""What tests of the payer's door share: the demo shop, and somebody who looks in."""

import pytest
from django.conf import settings
from django.test import Client

from checkout.demo.models import DemoShop
from checkout.demo.services import open_shop
from merchants.principal import Principal


@pytest.fixture
def shop(principal: Principal) -> DemoShop:
    """The first merchant's shop, open."""
    return open_shop(principal, settings.BASE_URL)


@pytest.fixture
def visitor() -> Client:
    """Somebody with a browser and no account."""
    return Client(enforce_csrf_checks=True)
