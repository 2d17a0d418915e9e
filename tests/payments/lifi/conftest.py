"""LI.FI's place taken by a desk that answers as it is told."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from localnet.http_server import listening
from tests.payments.lifi.desk import Desk


@pytest.fixture
def desk(settings: Settings) -> Iterator[Desk]:
    """The desk, and settings that name it. Each has an address of its own, so no session is kept between tests."""
    opened = Desk()
    with listening(opened.respond) as address:
        settings.LIFI_URL, settings.LIFI_API_KEY, settings.LIFI_INTEGRATOR = f"{address}/v1", "", "causeway"
        settings.MAX_SLIPPAGE_BPS, settings.PLATFORM_FEE_BPS = 50, 0
        yield opened
