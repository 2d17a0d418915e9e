"""Every limit of a connection, exactly at its border, and what a refusal says."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from core.clock import now, wire_time
from core.errors import ServiceError
from core.modes import Mode
from core.money import usd
from mcp.errors import AgentsPaused, ConnectionEnded, LimitExceeded, TooManyEffects
from mcp.models import AgentConnection, AgentPolicy
from mcp.services.charter import policy_of
from mcp.services.limits import STARTING_LIMITS
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.mcp.charter.stories import connected, counted, made, pay_out, refund
from tests.payments.world import World
from tests.refunds.stories import settled

DAY, HOUR, MINUTE = 86_400, 3_600, 60
INSTANT = 0.001


def refused(act: Callable[[], object]) -> ServiceError:
    """What an act is refused with; nothing at all is left behind."""
    before = made()
    with pytest.raises(ServiceError) as caught:
        act()
    assert made() == before
    return caught.value


@pytest.fixture
def intent(world: World, api: ApiClient) -> dict[str, Any]:
    """A settled intent over 25 dollars."""
    return settled(world, api)


@pytest.mark.parametrize(
    ("mode", "limits"), [(Mode.TEST, ("1000", "10000")), (Mode.LIVE, ("0", "0"))], ids=["test", "live"]
)
def test_a_new_connection_is_offered(mode: Mode, limits: tuple[str, str]) -> None:
    offered = STARTING_LIMITS[mode]
    assert (offered.per_call_usd, offered.per_day_usd) == tuple(map(Decimal, limits))


def test_a_connection_that_nobody_gave_limits_moves_nothing(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal, per_call_usd=usd("0"), per_day_usd=usd("0"))
    assert refused(lambda: refund(connection, intent, "0.01")).details["limit"] == "per_call_usd"
    assert refused(lambda: pay_out(connection, intent)).details["limit"] == "per_call_usd"
    AgentConnection.objects.update(per_call_usd=usd("25"))
    assert refused(lambda: pay_out(connection, intent)).details["limit"] == "per_day_usd"


def test_a_call_moves_at_most_what_a_call_may(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal, per_call_usd=usd("10"))
    refusal = refused(lambda: refund(connection, intent, "10.000001"))
    assert (refusal.code, refusal.http_status) == ("limit_exceeded", 403)
    assert refusal.details == {
        "limit": "per_call_usd",
        "scope": "connection",
        "allowed_usd": "10.00",
        "left_usd": "10.00",
        "asked_usd": "10.000001",
    }
    assert "at most 10.00 USD at once" in refusal.message
    refund(connection, intent, "10.00")
    assert counted(connection) == [usd("10")]


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
    assert refusal.details == {
        "limit": "per_day_usd",
        "scope": "connection",
        "allowed_usd": "10.00",
        "left_usd": "0.00",
        "asked_usd": "0.000001",
        "window_seconds": DAY,
        "frees_at": wire_time(first_at + timedelta(days=1)),
    }
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
    assert refusal.details == {
        "limit": "per_hour_count",
        "scope": "connection",
        "allowed": 2,
        "left": 0,
        "window_seconds": HOUR,
        "frees_at": wire_time(first_at + timedelta(hours=1)),
    }
    world.wait(HOUR - 1 - INSTANT)
    refused(lambda: refund(connection, intent, "1"))
    world.wait(INSTANT)
    refund(connection, intent, "1")
    refused(lambda: refund(connection, intent, "1"))


def test_no_effect_an_hour_means_none(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal, per_hour_count=0)
    assert refused(lambda: refund(connection, intent, "1")).details["frees_at"] is None


@pytest.mark.spec("Contract 13.1")
def test_a_minute_sees_ten(world: World, principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal)
    for _ in range(10):
        refund(connection, intent, "1")
        world.wait(2)
    refusal = refused(lambda: refund(connection, intent, "1"))
    assert isinstance(refusal, TooManyEffects)
    assert refusal.code == "rate_limited"
    assert refusal.details == {"limit": 10, "window_seconds": 60, "retry_after_seconds": 40, "scope": "connection"}
    assert refusal.headers == {"Retry-After": "40"}
    world.wait(40 - INSTANT)
    assert refused(lambda: refund(connection, intent, "1")).details["retry_after_seconds"] == 1
    world.wait(INSTANT)
    refund(connection, intent, "1")


@pytest.mark.spec("Rulings D8.1")
def test_connections_have_limits_of_their_own(principal: Principal, intent: dict[str, Any]) -> None:
    one, other = (connected(principal, per_day_usd=usd("5")) for _ in range(2))
    refund(one, intent, "5")
    refused(lambda: refund(one, intent, "1"))
    refund(other, intent, "5")


@pytest.mark.spec("Rulings D8.1")
def test_all_agents_together_have_those_that_the_merchant_set(principal: Principal, intent: dict[str, Any]) -> None:
    one, other = connected(principal), connected(principal)
    policy_of(one)
    AgentPolicy.objects.update(per_day_usd=usd("9"), per_hour_count=3)
    refund(one, intent, "4")
    refund(other, intent, "4")
    refusal = refused(lambda: refund(other, intent, "1.01"))
    assert (refusal.details["scope"], refusal.details["left_usd"]) == ("merchant", "1.00")
    assert "All agents of this merchant together" in refusal.message
    refund(one, intent, "1")
    AgentPolicy.objects.update(per_day_usd=None)
    assert refused(lambda: refund(one, intent, "1")).details["limit"] == "per_hour_count"
    AgentPolicy.objects.update(per_hour_count=None)
    refund(one, intent, "1")


def test_a_merchant_who_set_nothing_adds_no_limit(principal: Principal) -> None:
    policy = policy_of(connected(principal))
    assert (policy.per_day_usd, policy.per_hour_count, policy.paused_at) == (None, None, None)


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


def test_a_connection_that_ended_after_its_token_was_believed_moves_nothing(
    world: World, principal: Principal, intent: dict[str, Any]
) -> None:
    connection = connected(principal, expires_at=now() + timedelta(seconds=1))
    refund(connection, intent, "1")
    world.wait(1)
    assert isinstance(refused(lambda: refund(connection, intent, "1")), ConnectionEnded)
    AgentConnection.objects.update(expires_at=None, revoked_at=now())
    assert isinstance(refused(lambda: refund(connection, intent, "1")), ConnectionEnded)


def test_what_the_service_refuses_is_not_counted(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal)
    assert refused(lambda: refund(connection, intent, "25.01")).code == "refund_exceeds_balance"
    assert counted(connection) == []


def test_limits_are_read_again_and_not_believed_from_the_call(principal: Principal, intent: dict[str, Any]) -> None:
    connection = connected(principal)
    AgentConnection.objects.update(per_call_usd=usd("1"))
    assert isinstance(refused(lambda: refund(connection, intent, "2")), LimitExceeded)
