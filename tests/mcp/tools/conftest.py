"""Who calls the tools."""

import pytest

from core.modes import Mode
from mcp.caller import Caller
from merchants.services import NewMerchant
from tests.mcp.tools.calls import agent_of, caller_of


@pytest.fixture
def caller(account: NewMerchant) -> Caller:
    """The first merchant's agent in test mode, with every scope."""
    return caller_of(account)


@pytest.fixture
def live_caller(account: NewMerchant) -> Caller:
    """The first merchant's agent in live mode."""
    return caller_of(account, Mode.LIVE)


@pytest.fixture
def other_caller(other_account: NewMerchant) -> Caller:
    """Another merchant's agent."""
    return caller_of(other_account)


@pytest.fixture
def agent(account: NewMerchant) -> Caller:
    """The first merchant's agent in test mode, within limits."""
    return agent_of(account)
