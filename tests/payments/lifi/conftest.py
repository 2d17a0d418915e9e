"""LI.FI's place taken by a desk that answers as it is told."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.payments.lifi.desk import Desk, serving


@pytest.fixture
def desk(settings: Settings) -> Iterator[Desk]:
    """The desk, and settings that name it. Each has an address of its own, so no session is kept between tests."""
    with serving() as opened:
        settings.LIFI_URL = opened.url
        settings.LIFI_API_KEY = ""
        settings.LIFI_INTEGRATOR = "causeway"
        settings.MAX_SLIPPAGE_BPS = 50
        settings.PLATFORM_FEE_BPS = 0
        yield opened
