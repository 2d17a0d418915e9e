"""What the tests of the agents' door share."""

import pytest

from merchants.models import Merchant
from tests.mcp.agents import Agent, connected_agent


@pytest.fixture
def agent(merchant: Merchant) -> Agent:
    """An agent of the first merchant in test mode, with every scope."""
    return connected_agent(merchant)
