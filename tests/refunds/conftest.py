"""What tests of pages about refunds begin with."""

import pytest
from django.test import Client

from merchants.services import NewMerchant
from tests.merchants.people import OWNER, confirm_identity, sign_in


@pytest.fixture
def owner(account: NewMerchant) -> Client:
    """The owner's browser, identity just confirmed."""
    client = sign_in(OWNER)
    confirm_identity(client)
    return client
