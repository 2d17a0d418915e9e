"""What the tests of the agents' door share."""

from typing import Any

import pytest

from merchants.models import Merchant
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.mcp.agents import Agent, connected_agent
from tests.mcp.probe import Probe, Scene, planted_probe
from tests.payments.world import World
from tests.refunds.stories import settled


@pytest.fixture
def agent(merchant: Merchant) -> Agent:
    return connected_agent(merchant)


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Probe:
    return planted_probe(monkeypatch)


@pytest.fixture
def scene(agent: Agent, probe: Probe) -> Scene:
    return Scene(agent, probe, all_rows())


@pytest.fixture
def intent(world: World, api: ApiClient) -> dict[str, Any]:
    """A settled intent over 25 dollars."""
    return settled(world, api)
