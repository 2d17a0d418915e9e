"""Agents' limits count what a coin is worth today where that is more than when the payment was credited."""

from decimal import Decimal
from typing import Any

import pytest

from core.clock import now
from core.errors import TemporarilyUnavailable
from core.modes import Mode
from core.money import usd
from mcp.errors import LimitExceeded
from mcp.models import AgentConnection
from merchants.models import Merchant
from merchants.principal import Principal
from payments.models import PaymentIntent
from tests.factories.refunds import paid_intent
from tests.invariants import violations
from tests.mcp.charter.stories import connected, counted, made, refund
from tokens.models import Token
from tokens.services import load_bundled_tokens, record_usd_price

COIN = "0x0000000000000000000000000000000000000000"
HUNDREDTH = 10**16


@pytest.fixture
def intent(merchant: Merchant) -> PaymentIntent:
    """Twenty-five dollars in a hundredth of a coin, when the coin was at 2,500."""
    load_bundled_tokens()
    coin: dict[str, Any] = {"settlement_token": "ETH", "settlement_token_address": COIN, "settlement_decimals": 18}
    return paid_intent(merchant, units=HUNDREDTH, **coin)


@pytest.fixture
def agent(merchant: Merchant, intent: PaymentIntent) -> AgentConnection:
    """One that may send twenty dollars at once, and thirty a day."""
    live = Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="test")
    return connected(live, per_call_usd=usd("20"), per_day_usd=usd("30"))


def priced(price: str) -> None:
    """What the coin is worth now."""
    record_usd_price(Token.objects.get(chain="base", address=COIN), Decimal(price), now(), "one")


def test_a_coin_that_doubled_counts_twice(intent: PaymentIntent, agent: AgentConnection) -> None:
    priced("5000")
    before = made()
    with pytest.raises(LimitExceeded) as refused:
        refund(agent, {"id": str(intent.pk)}, "10.01")
    assert (refused.value.details["limit"], refused.value.details["asked_usd"]) == ("per_call_usd", "20.02")
    assert made() == before
    refund(agent, {"id": str(intent.pk)}, "10")
    assert counted(agent) == [Decimal(20)]
    with pytest.raises(LimitExceeded) as refused:
        refund(agent, {"id": str(intent.pk)}, "5.01")
    assert refused.value.details["limit"] == "per_day_usd"
    assert [one for one in violations() if one.startswith("I17")] == []


def test_one_that_fell_counts_as_it_was(intent: PaymentIntent, agent: AgentConnection) -> None:
    priced("100")
    refund(agent, {"id": str(intent.pk)}, "20")
    assert counted(agent) == [Decimal(20)]


def test_without_a_fresh_price_nothing_is_let_through(intent: PaymentIntent, agent: AgentConnection) -> None:
    before = made()
    with pytest.raises(TemporarilyUnavailable):
        refund(agent, {"id": str(intent.pk)}, "1")
    assert made() == before
    priced("2500")
    refund(agent, {"id": str(intent.pk)}, "1")
    assert counted(agent) == [Decimal(1)]
