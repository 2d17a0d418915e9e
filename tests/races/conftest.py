"""A shop with a database of real commits; every race test is one of several rounds."""

import os

import pytest

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.races.shop import Shop
from tokens.services import load_bundled_tokens

ROUNDS, MORE_ROUNDS = int(os.environ.get("RACE_ROUNDS", "2")), 8
"""Twice, so that either of two comes first once; more often where chance has the say, too."""


@pytest.fixture
def shop(transactional_db: None, api: ApiClient, principal: Principal) -> Shop:
    """The first merchant's shop. Why the tokens are loaded: a test with real commits empties every table."""
    load_bundled_tokens()
    return Shop(api=api, principal=principal)


@pytest.fixture(params=[ROUNDS, pytest.param(MORE_ROUNDS, marks=pytest.mark.exhaustive)])
def rounds(request: pytest.FixtureRequest) -> range:
    return range(request.param)
