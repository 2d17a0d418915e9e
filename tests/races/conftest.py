"""A shop with a database of real commits; every race test is one of many rounds."""

import os

import pytest

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.races.shop import Shop
from tokens.services import load_bundled_tokens

ROUNDS = int(os.environ.get("RACE_ROUNDS", "8"))


@pytest.fixture
def shop(transactional_db: None, api: ApiClient, principal: Principal) -> Shop:
    """The first merchant's shop. Why the tokens are loaded: a test with real commits empties every table."""
    load_bundled_tokens()
    return Shop(api=api, principal=principal)


@pytest.fixture
def rounds() -> range:
    """How often a race is run."""
    return range(ROUNDS)
