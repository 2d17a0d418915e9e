"""GET /payouts/{id}, and GET /payouts: newest first, in pages, by status and by intent."""

from typing import Any

import pytest

from core.clock import wire_time
from merchants.principal import Principal
from payouts.models import Payout
from payouts.states import PayoutStatus
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.factories.payouts import stored_payout
from tests.factories.rows import all_rows
from tests.payments.world import World, advance, create
from tests.payouts.stories import asked, run, settled, shown

NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.mark.spec("Payout; Payouts")
def test_one_and_the_list_show_the_same_and_change_nothing(world: World, api: ApiClient, principal: Principal) -> None:
    assert api.get("/payouts").body == {"data": [], "has_more": False, "next_cursor": None}
    payout = asked(principal, settled(world, api))
    for _ in range(2):
        before = all_rows()
        listed = {"data": [shown(api, payout)], "has_more": False, "next_cursor": None}
        assert api.get("/payouts").body == listed
        assert all_rows() == before
        run(world)
    paid = shown(api, payout)
    advance(api, 86_400)
    run(world, 1)
    assert shown(api, payout) == paid


def ids(reply: Any) -> list[str]:
    assert reply.status == 200, reply.body
    return [row["id"] for row in reply.body["data"]]


def several(world: World, api: ApiClient, count: int) -> list[str]:
    made = []
    for _ in range(count):
        made.append(str(stored_payout(create(api)["id"]).pk))
        world.wait(1)
    return made[::-1]


@pytest.mark.spec("Limits: list refunds and payouts")
def test_pages_of_fifty_unless_asked_and_moments(world: World, api: ApiClient) -> None:
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
    middle = wire_time(Payout.objects.get(pk=newest_first[1]).created_at)
    assert ids(api.get(f"/payouts?created_gte={middle}")) == newest_first[:2]
    assert ids(api.get(f"/payouts?created_lt={middle}")) == newest_first[2:]
    assert ids(api.get(f"/payouts?created_gte={middle}&created_lt={middle}")) == []
    Payout.objects.filter(pk=newest_first[0]).update(status="paid")  # a cursor outlives its row's status
    assert ids(api.get(f"/payouts?status=queued&starting_after={newest_first[0]}")) == newest_first[1:]
    everything = several(world, api, 46) + newest_first
    assert (ids(api.get("/payouts")), ids(api.get("/payouts?limit=200"))) == (everything[:50], everything)


def test_an_amount_is_a_decimal_text_and_an_intent_s_payout_is_found(api: ApiClient) -> None:
    said = {"25": "25.00", "0.01": "0.01", "0.5": "0.50", "0.123456": "0.123456", "1000000": "1000000.00"}
    for amount, text in said.items():
        intent = create(api)["id"]
        payout = stored_payout(intent, amount_usd=amount)
        assert shown(api, payout)["amount"] == text
        for form in (intent, f"pi_{intent}"):
            assert ids(api.get(f"/payouts?payment_intent_id={form}")) == [str(payout.pk)]
    assert ids(api.get(f"/payouts?payment_intent_id={NOWHERE}")) == []


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


@pytest.mark.spec("Errors: 404")
def test_ids_and_parameters_that_are_refused(world: World, api: ApiClient) -> None:
    [mine] = several(world, api, 1)
    before = all_rows()
    for parameter, texts in {
        "limit": ("0", "-1", "201", "1000000", "abc", "", "1.5"),
        "status": ("", "settled", "PAID", "paid,", "paid;failed"),
        "payment_intent_id": ("", "nonsense", "pi_", "%00"),
        "created_gte": ("", "soon", "2026-01-31", "2026-01-31T12:00:00"),
        "created_lt": ("", "0000-00-00T00:00:00Z", "%00"),
        "starting_after": ("nonsense",),
        "ending_before": (NOWHERE,),
    }.items():
        for text in texts:
            reply = api.get(f"/payouts?{parameter}={text}")
            assert_refused(reply, 400, "invalid_parameter")
            assert reply.body["details"] == {"parameter": parameter}, text
    assert_refused(api.get(f"/payouts?starting_after={mine}&ending_before={mine}"), 400, "invalid_parameter")
    for written in (NOWHERE, "nonsense", "pi_nonsense"):
        reply = api.get(f"/payouts/{written}")
        assert_refused(reply, 404, "not_found")
        assert reply.body["details"] == {"resource": "payout"}
    assert all_rows() == before
