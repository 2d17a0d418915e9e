"""Two sources of tokens and prices on this machine, which the settings name."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.tokens.aggregators import Aggregator, aggregator


@pytest.fixture
def lifi(settings: Settings) -> Iterator[Aggregator]:
    with aggregator() as served:
        settings.LIFI_URL, settings.LIFI_API_KEY, settings.LIFI_INTEGRATOR = served.url, "", "causeway"
        yield served


@pytest.fixture
def jupiter(settings: Settings) -> Iterator[Aggregator]:
    with aggregator() as served:
        settings.JUPITER_URL, settings.JUPITER_API_KEY = served.url, ""
        yield served
