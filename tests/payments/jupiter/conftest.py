"""A local Solana with a local Jupiter for a whole module; a payer of its own for each test."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from localnet.jupiter import LocalJupiter, serving
from localnet.solana.server import DevSolana, running
from payments.routing.jupiter.client import forget
from tests.payments.jupiter.scene import Scene


@pytest.fixture(scope="module")
def node() -> Iterator[DevSolana]:
    """A network on which time stands still."""
    with running(ticking=False) as started:
        yield started


@pytest.fixture
def jupiter(node: DevSolana, settings: Settings) -> Iterator[LocalJupiter]:
    """An honest Jupiter, and a service that asks it."""
    with serving(node) as started:
        settings.NETWORK_PROFILE, settings.JUPITER_URL, settings.JUPITER_API_KEY = "localnet", started.url, ""
        settings.MAX_SLIPPAGE_BPS, settings.PLATFORM_FEE_BPS, settings.JUPITER_FEE_WALLET = 50, 0, ""
        forget()
        yield started
        forget()


@pytest.fixture
def scene(node: DevSolana, jupiter: LocalJupiter) -> Scene:
    """A payer, a merchant, and Jupiter between them."""
    return Scene(node=node, jupiter=jupiter)
