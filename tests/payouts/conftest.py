"""What tests of pages about payouts begin with."""

import pytest
from django.test import Client

from merchants.services import NewMerchant
from tests.merchants.people import OWNER, add_second_factor, confirm_identity, sign_in


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    client = sign_in(OWNER)
    confirm_identity(client)
    add_second_factor(OWNER)
    return client
