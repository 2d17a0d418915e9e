"""Every limit of a connection: exactly at its border, in every window, at today's price; and what a refusal says."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import override_settings

from core.clock import now, wire_time
from core.errors import ServiceError, TemporarilyUnavailable
from core.modes import Mode
from core.money import UsdAmount, usd
from mcp.errors import AgentsPaused, ConnectionEnded, LimitExceeded, TooManyEffects
from mcp.models import AgentConnection, AgentEffect, AgentPolicy
from mcp.services.charter import admission, policy_of
from merchants.models import Merchant
from merchants.principal import Principal
from tests.factories.refunds import paid_intent
from tests.invariants import violations
from tests.mcp.charter.stories import PAYOUT, caller_of, connected, counted, made, pay_out, refund
from tests.payments.world import World
from tokens.models import Token, TokenPrice
from tokens.services import load_bundled_tokens, record_usd_price

DAY, HOUR = 86_400, 3_600
INSTANT = 0.001


def refused(act: Callable[[], object]) -> ServiceError:
    """What an act is refused with; nothing at all is left behind."""
    before = made()
    with pytest.raises(ServiceError) as caught:
        act()
    assert made() == before
    return caught.value


def test_a_call_moves_at_most_what_a_call_may(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal, per_call_usd=usd("10"))
    refusal = refused(lambda: refund(connection, intent, "10.000001"))
    assert (refusal.code, refusal.http_status) == ("limit_exceeded", 403)
    amounts = {"allowed_usd": "10.00", "left_usd": "10.00", "asked_usd": "10.000001"}
    assert refusal.details == {"limit": "per_call_usd", "scope": "connection", **amounts}
    assert "at most 10.00 USD at once" in refusal.message
    refund(connection, intent, "10.00")
    assert counted(connection) == [usd("10")]
    # Limits are read again and not believed from the call.
    AgentConnection.objects.update(per_call_usd=usd("1"))
    assert isinstance(refused(lambda: refund(connection, intent, "2")), LimitExceeded)
    AgentConnection.objects.update(per_call_usd=usd("1000"))
    # What the service refuses is not counted.
    assert refused(lambda: refund(connection, intent, "25.01")).code == "refund_exceeds_balance"
    assert counted(connection) == [usd("10")]
    # A connection that nobody gave limits moves nothing.
    AgentConnection.objects.update(per_call_usd=usd("0"), per_day_usd=usd("0"))
    assert refused(lambda: refund(connection, intent, "0.01")).details["limit"] == "per_call_usd"
    assert refused(lambda: pay_out(connection, intent)).details["limit"] == "per_call_usd"
    AgentConnection.objects.update(per_call_usd=usd("25"))
    assert refused(lambda: pay_out(connection, intent)).details["limit"] == "per_day_usd"
    AgentConnection.objects.update(per_day_usd=usd("1000"), per_hour_count=0)
    assert refused(lambda: refund(connection, intent, "1")).details["frees_at"] is None


def test_a_payout_is_counted_once_however_often_it_is_asked_for(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal)
    first = pay_out(connection, intent)
    AgentConnection.objects.update(per_call_usd=usd("0"), paused_at=now())
    assert pay_out(connection, intent).pk == pay_out(connection, intent, "other").pk == first.pk
    assert counted(connection) == [first.amount_usd]


def test_a_day_moves_at_most_what_a_day_may(world: World, principal: Principal, intent: dict[str, Any]) -> None:
    """Two effects an hour apart: each frees its own dollars 24 hours later, to the millisecond."""
    connection = connected(principal, per_day_usd=usd("10"))
    first_at = now()
    refund(connection, intent, "4")
    world.wait(HOUR)
    second_at = now()
    refund(connection, intent, "5")
    refund(connection, intent, "1")
    refusal = refused(lambda: refund(connection, intent, "0.000001"))
    amounts = {"allowed_usd": "10.00", "left_usd": "0.00", "asked_usd": "0.000001"}
    window = {"window_seconds": DAY, "frees_at": wire_time(first_at + timedelta(days=1))}
    assert refusal.details == {"limit": "per_day_usd", "scope": "connection", **amounts, **window}
    enough = refused(lambda: refund(connection, intent, "4.000001")).details["frees_at"]
    assert enough == wire_time(second_at + timedelta(days=1))
    assert refused(lambda: refund(connection, intent, "10.01")).details["frees_at"] is None
    world.wait(DAY - HOUR - INSTANT)
    refused(lambda: refund(connection, intent, "0.000001"))
    world.wait(INSTANT)
    assert refused(lambda: refund(connection, intent, "4.000001")).details["left_usd"] == "4.00"
    refund(connection, intent, "4")
    assert counted(connection) == [usd("4"), usd("5"), usd("1"), usd("4")]


def test_an_hour_sees_at_most_so_many(world: World, principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal, per_hour_count=2)
    first_at = now()
    refund(connection, intent, "1")
    world.wait(1)
    refund(connection, intent, "1")
    refusal = refused(lambda: refund(connection, intent, "1"))
    window = {"window_seconds": HOUR, "frees_at": wire_time(first_at + timedelta(hours=1))}
    assert refusal.details == {"limit": "per_hour_count", "scope": "connection", "allowed": 2, "left": 0, **window}
    world.wait(HOUR - 1 - INSTANT)
    refused(lambda: refund(connection, intent, "1"))
    world.wait(INSTANT)
    refund(connection, intent, "1")
    refused(lambda: refund(connection, intent, "1"))


@pytest.mark.spec("Contract 13.1")
def test_a_minute_sees_ten(world: World, principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal)
    for _ in range(10):
        refund(connection, intent, "1")
        world.wait(2)
    refusal = refused(lambda: refund(connection, intent, "1"))
    assert (type(refusal), refusal.code) == (TooManyEffects, "rate_limited")
    assert refusal.details == {"limit": 10, "window_seconds": 60, "retry_after_seconds": 40, "scope": "connection"}
    assert refusal.headers == {"Retry-After": "40"}
    world.wait(40 - INSTANT)
    assert refused(lambda: refund(connection, intent, "1")).details["retry_after_seconds"] == 1
    world.wait(INSTANT)
    refund(connection, intent, "1")


@pytest.mark.spec("Rulings D8.1")
def test_all_agents_together_have_those_that_the_merchant_set(principal: Principal, intent: dict[str, Any]) -> None:
    one, other = (connected(principal, per_day_usd=usd("5")) for _ in range(2))
    policy_of(one)
    AgentPolicy.objects.update(per_day_usd=usd("9"), per_hour_count=3)
    refund(one, intent, "4")
    refund(other, intent, "4")
    # Each has limits of its own.
    assert refused(lambda: refund(one, intent, "1.01")).details["scope"] == "connection"
    AgentConnection.objects.update(per_day_usd=usd("1000"))
    refusal = refused(lambda: refund(other, intent, "1.01"))
    assert (refusal.details["scope"], refusal.details["left_usd"]) == ("merchant", "1.00")
    assert "All agents of this merchant together" in refusal.message
    refund(one, intent, "1")
    AgentPolicy.objects.update(per_day_usd=None)
    assert refused(lambda: refund(one, intent, "1")).details["limit"] == "per_hour_count"
    AgentPolicy.objects.update(per_hour_count=None)
    refund(one, intent, "1")


def test_a_pause_stops_everything(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal, paused_at=now())
    refusal = refused(lambda: refund(connection, intent, "1"))
    assert isinstance(refusal, AgentsPaused)
    assert refusal.details == {"scope": "connection", "paused_at": wire_time(now())}
    AgentConnection.objects.update(paused_at=None)
    AgentPolicy.objects.update(paused_at=now())
    assert refused(lambda: pay_out(connection, intent)).details["scope"] == "merchant"
    AgentPolicy.objects.update(paused_at=None)
    refund(connection, intent, "1")


def test_an_ended_connection_moves_nothing(world: World, principal: Principal, intent: dict[str, Any]) -> None:
    """It may end after its token was believed."""
    connection = connected(principal, expires_at=now() + timedelta(seconds=1))
    refund(connection, intent, "1")
    world.wait(1)
    assert isinstance(refused(lambda: refund(connection, intent, "1")), ConnectionEnded)
    AgentConnection.objects.update(expires_at=None, revoked_at=now())
    assert isinstance(refused(lambda: refund(connection, intent, "1")), ConnectionEnded)


CALLS = 120


def is_refused(connection: AgentConnection, amount: UsdAmount) -> bool:
    try:
        with transaction.atomic():
            admission(caller_of(connection), PAYOUT)(amount, uuid4())
    except LimitExceeded:
        return True
    return False


def check_windows(connections: Sequence[AgentConnection], a_day: int, an_hour: int) -> None:
    """No window held more dollars or effects; the fullest one can only be one that ends with an effect."""
    effects = AgentEffect.objects.filter(connection__in=connections).order_by("pk")
    rows = list(effects.values_list("created_at", "amount_usd"))
    assert all(one <= other for (one, _), (other, _) in pairwise(rows))
    for end, _ in rows:
        assert sum(amount for at, amount in rows if end - timedelta(hours=24) < at <= end) <= a_day
        assert sum(end - timedelta(hours=1) < at <= end for at, _ in rows) <= an_hour


@override_settings(AGENT_EFFECTS_PER_MINUTE=1_000)
def test_no_window_ever_holds_more_than_its_limit(world: World, principal: Principal) -> None:
    chance = Random(1)  # noqa: S311  Why: a seed makes it the same story each time.
    crew = [connected(principal, per_day_usd=usd("100"), per_hour_count=6) for _ in range(2)]
    policy_of(crew[0])
    AgentPolicy.objects.update(per_day_usd=usd("150"), per_hour_count=9)
    refused = 0
    for _ in range(CALLS):
        refused += is_refused(chance.choice(crew), usd(f"{chance.randint(1, 40_000_000) / 1_000_000:.6f}"))
        world.wait(chance.choice([0, 0.001, 60, 1800, 7200]))
    for own in crew:
        check_windows([own], 100, 6)
    check_windows(crew, 150, 9)
    assert 0 < refused < CALLS


COIN = "0x0000000000000000000000000000000000000000"


@pytest.fixture
def in_coins(merchant: Merchant) -> dict[str, Any]:
    """Twenty-five dollars in a hundredth of a coin, when the coin was at 2,500."""
    load_bundled_tokens()
    coin: dict[str, Any] = {"settlement_token": "ETH", "settlement_token_address": COIN, "settlement_decimals": 18}
    return {"id": str(paid_intent(merchant, units=10**16, **coin).pk)}


@pytest.fixture
def agent(merchant: Merchant, in_coins: dict[str, Any]) -> AgentConnection:
    live = Principal(merchant_id=merchant.pk, mode=Mode.LIVE, actor="test")
    return connected(live, per_call_usd=usd("20"), per_day_usd=usd("30"))


def priced(price: str) -> None:
    """The only price. Why the last one goes first: a report of the same millisecond would not count."""
    TokenPrice.objects.all().delete()
    record_usd_price(Token.objects.get(chain="base", address=COIN), Decimal(price), now(), "one")


def test_a_coin_counts_at_todays_price_and_never_below_the_frozen_one(
    in_coins: dict[str, Any], agent: AgentConnection
) -> None:
    assert isinstance(refused(lambda: refund(agent, in_coins, "1")), TemporarilyUnavailable)
    priced("5000")
    refusal = refused(lambda: refund(agent, in_coins, "10.01"))
    assert (refusal.details["limit"], refusal.details["asked_usd"]) == ("per_call_usd", "20.02")
    refund(agent, in_coins, "10")
    assert counted(agent) == [Decimal(20)]
    assert refused(lambda: refund(agent, in_coins, "5.01")).details["limit"] == "per_day_usd"
    priced("2500")
    refund(agent, in_coins, "1")
    assert counted(agent) == [Decimal(20), Decimal(1)]
    priced("100")
    refund(agent, in_coins, "9")
    assert counted(agent) == [Decimal(20), Decimal(1), Decimal(9)]
    assert [one for one in violations() if one.startswith("I17")] == []
