"""GET /payouts: newest first, in pages, by status and by intent."""

from typing import Any
from uuid import UUID

import pytest

from core.clock import wire_time
from merchants.principal import Principal
from payouts.models import Payout
from payouts.states import PayoutStatus
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.payouts import stored_payout
from tests.factories.rows import all_rows
from tests.payments.world import World, create
from tests.payouts.stories import asked, run, settled, shown


def ids(reply: Any) -> list[str]:
    """The payouts of a page."""
    assert reply.status == 200, reply.body
    return [row["id"] for row in reply.body["data"]]


def several(world: World, api: ApiClient, count: int) -> list[str]:
    """Ids of so many payouts, newest first."""
    made = []
    for _ in range(count):
        made.append(str(stored_payout(create(api)["id"]).pk))
        world.wait(1)
    return made[::-1]


@pytest.mark.spec("Payouts; Payout")
def test_an_entry_is_the_payout_itself(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    reply = api.get("/payouts")
    assert (reply.status, reply.body) == (200, {"data": [shown(api, payout)], "has_more": False, "next_cursor": None})


def test_none(api: ApiClient) -> None:
    assert api.get("/payouts").body == {"data": [], "has_more": False, "next_cursor": None}


@pytest.mark.spec("Limits: list refunds and payouts")
def test_pages(world: World, api: ApiClient) -> None:
    newest_first = several(world, api, 5)
    assert ids(api.get("/payouts")) == newest_first
    first = api.get("/payouts?limit=2")
    assert (ids(first), first.body["has_more"], first.body["next_cursor"]) == (newest_first[:2], True, newest_first[1])
    assert first.headers["Link"] == f'</api/public/v1/payouts?limit=2&starting_after={newest_first[1]}>; rel="next"'
    second = api.get(f"/payouts?limit=2&starting_after={newest_first[1]}")
    assert ids(second) == newest_first[2:4]
    assert ids(api.get(f"/payouts?limit=2&ending_before={newest_first[2]}")) == newest_first[:2]
    last = api.get(f"/payouts?limit=2&starting_after={newest_first[3]}")
    assert (ids(last), last.body["has_more"], last.body["next_cursor"]) == (newest_first[4:], False, None)


@pytest.mark.spec("Limits: list refunds and payouts")
def test_fifty_unless_asked_and_two_hundred_at_most(world: World, api: ApiClient) -> None:
    newest_first = several(world, api, 51)
    assert ids(api.get("/payouts")) == newest_first[:50]
    assert ids(api.get("/payouts?limit=200")) == newest_first


def test_by_intent(world: World, api: ApiClient, principal: Principal) -> None:
    intents = [create(api) for _ in range(2)]
    made = [str(stored_payout(intent["id"]).pk) for intent in intents]
    for intent, payout_id in zip(intents, made, strict=True):
        assert ids(api.get(f"/payouts?payment_intent_id={intent['id']}")) == [payout_id]
        assert ids(api.get(f"/payouts?payment_intent_id=pi_{intent['id']}")) == [payout_id]
    assert ids(api.get("/payouts?payment_intent_id=00000000-0000-4000-8000-000000000000")) == []


def test_by_status(world: World, api: ApiClient, principal: Principal) -> None:
    failed = asked(principal, settled(world, api, metadata={"simulate": "payout_fail"}), "f")
    paid = asked(principal, settled(world, api), "p")
    run(world)
    queued = asked(principal, settled(world, api), "q")
    assert ids(api.get("/payouts?status=failed")) == [str(failed.pk)]
    assert ids(api.get("/payouts?status=paid,queued")) == [str(queued.pk), str(paid.pk)]
    assert ids(api.get("/payouts?status=paused")) == []
    for status in PayoutStatus.values:
        assert api.get(f"/payouts?status={status}").status == 200


def test_by_time(world: World, api: ApiClient) -> None:
    newest_first = several(world, api, 3)
    moments = dict(Payout.objects.values_list("pk", "created_at"))
    middle = wire_time(moments[UUID(newest_first[1])])
    assert ids(api.get(f"/payouts?created_gte={middle}")) == newest_first[:2]
    assert ids(api.get(f"/payouts?created_lt={middle}")) == newest_first[2:]
    assert ids(api.get(f"/payouts?created_gte={middle}&created_lt={middle}")) == []


def test_a_cursor_outlives_its_row_s_status(world: World, api: ApiClient, principal: Principal) -> None:
    newest_first = several(world, api, 3)
    Payout.objects.filter(pk=newest_first[0]).update(status="paid")
    assert ids(api.get(f"/payouts?status=queued&starting_after={newest_first[0]}")) == newest_first[1:]


def test_others_see_their_own_only(world: World, api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> None:
    [mine] = several(world, api, 1)
    for caller in (other_api, live_api):
        assert ids(caller.get("/payouts")) == []
        reply = caller.get(f"/payouts?starting_after={mine}")
        assert_refused(reply, 400, "invalid_parameter")


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        *((f"limit={limit}", "limit") for limit in ("0", "-1", "201", "1000000", "abc", "", "1.5")),
        *((f"status={status}", "status") for status in ("", "settled", "PAID", "paid,", "paid;failed")),
        *((f"payment_intent_id={text}", "payment_intent_id") for text in ("", "nonsense", "pi_", "%00")),
        *((f"created_gte={text}", "created_gte") for text in ("", "soon", "2026-01-31", "2026-01-31T12:00:00")),
        *((f"created_lt={text}", "created_lt") for text in ("", "0000-00-00T00:00:00Z", "%00")),
        ("starting_after=nonsense", "starting_after"),
        ("ending_before=00000000-0000-4000-8000-000000000000", "ending_before"),
    ],
)
def test_parameters_that_are_refused(world: World, api: ApiClient, query: str, parameter: str) -> None:
    several(world, api, 1)
    before = all_rows()
    reply = api.get(f"/payouts?{query}")
    assert_refused(reply, 400, "invalid_parameter")
    assert reply.body["details"] == {"parameter": parameter}
    assert all_rows() == before


def test_both_cursors_are_too_many(world: World, api: ApiClient) -> None:
    [mine] = several(world, api, 1)
    assert_refused(api.get(f"/payouts?starting_after={mine}&ending_before={mine}"), 400, "invalid_parameter")
