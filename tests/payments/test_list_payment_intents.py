"""GET /payment-intents: order, limits and cursors. How pages lead on is in tests/core/test_pagination.py."""

from itertools import product

import pytest

from tests.conftest import ApiClient, Reply
from tests.factories.rows import all_rows
from tests.payments.world import World, create

FOREIGN = "00000000-0000-4000-8000-000000000000"


def ids(reply: Reply) -> list[str]:
    assert reply.status == 200, reply.body
    return [intent["id"] for intent in reply.body["data"]]


@pytest.fixture
def made(world: World, api: ApiClient) -> list[str]:
    """Five intents, newest first: the middle three of one moment."""
    found = []
    for number in range(5):
        found.append(create(api, reference=f"order {number}"))
        if number not in (1, 2):
            world.wait(1)
    found.sort(key=lambda intent: (intent["created_at"], intent["id"]), reverse=True)
    return [intent["id"] for intent in found]


@pytest.mark.spec("List: 200 {data: PaymentIntent[]}; ordering (not shown): newest first")
def test_newest_first(api: ApiClient, made: list[str]) -> None:
    reply = api.get("/payment-intents")
    assert ids(reply) == made
    assert set(reply.body) == {"data", "has_more", "next_cursor"}
    assert (reply.body["has_more"], reply.body["next_cursor"], "Link" in reply.headers) == (False, None, False)
    assert [api.get(f"/payment-intents/{intent['id']}").body for intent in reply.body["data"]] == reply.body["data"]


@pytest.mark.spec("List: limit, max 100, default 20")
def test_limits(api: ApiClient) -> None:
    assert api.get("/payment-intents").body == {"data": [], "has_more": False, "next_cursor": None}
    for _ in range(21):
        create(api)
    for query, count in (("", 20), ("?limit=100", 21), ("?limit=1", 1)):
        assert len(ids(api.get(f"/payment-intents{query}"))) == count
    before = all_rows()
    limits = ("0", "101", "-1", "+1", "abc", "1.0", "1e1", "", "%20", "%D9%A1", "1_0", "9" * 40, "true", "%00")
    for limit in limits:
        reply = api.get(f"/payment-intents?limit={limit}")
        assert (reply.status, reply.body["code"]) == (400, "invalid_parameter"), limit
        assert reply.body["details"] == {"parameter": "limit"}
    assert all_rows() == before


@pytest.mark.spec("Contract 5.4; Contract 6.3; Contract 6.4; Pagination (not shown): cursors")
def test_cursors_that_are_taken_and_refused(api: ApiClient, made: list[str]) -> None:
    bare = made[2].replace("-", "")
    for written in (made[2], f"pi_{made[2]}", bare, f"pi_{bare}"):
        assert ids(api.get(f"/payment-intents?starting_after={written}")) == made[3:]
        assert ids(api.get(f"/payment-intents?ending_before={written}")) == made[:2]
    for name, cursor in product(("starting_after", "ending_before"), (FOREIGN, "", "x", "pi_", "1", "%00")):
        reply = api.get(f"/payment-intents?{name}={cursor}")
        assert (reply.status, reply.body["code"]) == (400, "invalid_parameter"), (name, cursor)
        assert reply.body["details"] == {"parameter": name}
    both = api.get(f"/payment-intents?starting_after={made[0]}&ending_before={made[2]}")
    assert (both.status, both.body["code"]) == (400, "invalid_parameter")


@pytest.mark.spec("A key only sees intents of its own mode")
def test_others_are_invisible(api: ApiClient, live_api: ApiClient, other_api: ApiClient, made: list[str]) -> None:
    for stranger in (live_api, other_api):
        for query in ("", "?reference=order%201", f"?q={made[0]}"):
            assert ids(stranger.get(f"/payment-intents{query}")) == []
        theirs, unknown = (stranger.get(f"/payment-intents?starting_after={one}") for one in (made[0], FOREIGN))
        assert (theirs.status, theirs.body | {"request_id": ""}) == (400, unknown.body | {"request_id": ""})
