"""GET /payouts/{id}."""

import pytest

from merchants.principal import Principal
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.payouts import stored_payout
from tests.factories.rows import all_rows
from tests.payments.world import World, advance, create
from tests.payouts.stories import asked, run, settled, shown

NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.mark.spec("Payout; Payouts")
def test_it_shows_what_the_list_shows(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    for _ in range(2):
        assert [shown(api, payout)] == api.get("/payouts").body["data"]
        run(world)


def test_reading_changes_nothing(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    before = all_rows()
    shown(api, payout)
    assert all_rows() == before


def test_the_clock_moves_no_shown_time(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    run(world)
    before = shown(api, payout)
    advance(api, 86_400)
    run(world, 1)
    assert shown(api, payout) == before


@pytest.mark.spec("Errors: 404")
@pytest.mark.parametrize("written", [NOWHERE, "nonsense", "pi_nonsense"])
def test_one_that_does_not_exist(api: ApiClient, written: str) -> None:
    stored_payout(create(api)["id"])
    before = all_rows()
    reply = api.get(f"/payouts/{written}")
    assert_refused(reply, 404, "not_found")
    assert reply.body["details"] == {"resource": "payout"}
    assert all_rows() == before


def test_a_stranger_s_and_the_other_mode_s(api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> None:
    payout = stored_payout(create(api)["id"])
    for caller in (other_api, live_api):
        assert_refused(caller.get(f"/payouts/{payout.pk}"), 404, "not_found")


@pytest.mark.parametrize(
    ("micros", "amount"),
    [("25", "25.00"), ("0.01", "0.01"), ("0.5", "0.50"), ("0.123456", "0.123456"), ("1000000", "1000000.00")],
)
def test_an_amount_is_a_decimal_text(api: ApiClient, micros: str, amount: str) -> None:
    payout = stored_payout(create(api)["id"], amount_usd=micros)
    assert shown(api, payout)["amount"] == amount
