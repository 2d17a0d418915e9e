"""What tests of pages about payouts begin with."""

import pytest
from django.test import Client

from merchants.services import NewMerchant
from tests.merchants.people import OWNER, confirm_identity, sign_in


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    client = sign_in(OWNER)
    confirm_identity(client)
    return client
