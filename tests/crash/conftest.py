"""A shop for the tests here that need no process of their own."""

import pytest

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.races.shop import Shop


@pytest.fixture
def shop(api: ApiClient, principal: Principal) -> Shop:
    return Shop(api=api, principal=principal)
