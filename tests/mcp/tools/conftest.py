"""Who calls the tools."""

import pytest

from core.modes import Mode
from mcp.caller import Caller
from merchants.services import NewMerchant
from tests.mcp.tools.calls import caller_of


@pytest.fixture
def caller(account: NewMerchant) -> Caller:
    return caller_of(account)


@pytest.fixture
def live_caller(account: NewMerchant) -> Caller:
    return caller_of(account, Mode.LIVE)


@pytest.fixture
def other_caller(other_account: NewMerchant) -> Caller:
    return caller_of(other_account)


@pytest.fixture
def agent(caller: Caller) -> Caller:
    return caller
