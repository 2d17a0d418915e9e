"""Every limit of a connection, exactly at its border."""

import pytest

from core.money import usd
from mcp.errors import LimitExceeded
from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.mcp.charter.stories import connected, counted, made, pay_out, refund
from tests.payments.world import World
from tests.refunds.stories import settled


@pytest.mark.parametrize(("amount", "passes"), [("10.00", True), ("10.000001", False)])
def test_a_call_moves_at_most_what_a_call_may(
    world: World, principal: Principal, api: ApiClient, amount: str, passes: bool
) -> None:
    connection = connected(principal, per_call_usd=usd("10"))
    intent = settled(world, api)
    before = made()
    if passes:
        refund(connection, intent, amount)
        assert counted(connection) == [usd("10")]
        return
    with pytest.raises(LimitExceeded) as refused:
        refund(connection, intent, amount)
    assert refused.value.details == {
        "limit": "per_call_usd",
        "scope": "connection",
        "allowed_usd": "10.00",
        "left_usd": "10.00",
        "asked_usd": "10.000001",
    }
    assert made() == before


def test_a_payout_is_counted_once_however_often_it_is_asked_for(
    world: World, principal: Principal, api: ApiClient
) -> None:
    connection = connected(principal)
    intent = settled(world, api)
    first = pay_out(connection, intent)
    assert pay_out(connection, intent).pk == pay_out(connection, intent, "other").pk == first.pk
    assert counted(connection) == [first.amount_usd]
