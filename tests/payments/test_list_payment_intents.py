"""GET /payment-intents: order, pages and what a page says of the next one."""

import re
from itertools import product
from typing import Any

import pytest

from tests.conftest import ApiClient, Reply
from tests.factories.rows import all_rows
from tests.payments.world import World, create

FOREIGN = "00000000-0000-4000-8000-000000000000"


def ids(reply: Reply) -> list[str]:
    """The intents of a page."""
    assert reply.status == 200, reply.body
    return [intent["id"] for intent in reply.body["data"]]


@pytest.fixture
def made(world: World, api: ApiClient) -> list[str]:
    """Seven intents, newest first: the middle three of one moment."""
    found = []
    for number in range(7):
        found.append(create(api, reference=f"order {number}"))
        if number not in (2, 3):
            world.wait(1)
    found.sort(key=lambda intent: (intent["created_at"], intent["id"]), reverse=True)
    return [intent["id"] for intent in found]


@pytest.mark.spec("List: 200 {data: PaymentIntent[]}; ordering (not shown): newest first")
def test_newest_first(api: ApiClient, made: list[str]) -> None:
    reply = api.get("/payment-intents")
    assert ids(reply) == made
    assert set(reply.body) == {"data", "has_more", "next_cursor"}
    assert (reply.body["has_more"], reply.body["next_cursor"]) == (False, None)
    assert "Link" not in reply.headers
    for intent in reply.body["data"]:
        assert intent == api.get(f"/payment-intents/{intent['id']}").body


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


@pytest.mark.spec("Contract 6.4")
@pytest.mark.spec("Pagination (not shown): cursors")
def test_pages_forward(api: ApiClient, made: list[str]) -> None:
    found: list[str] = []
    path = "/api/public/v1/payment-intents?limit=3"
    for expected_more in (True, True, False):
        reply = api.get(path)
        found += ids(reply)
        assert reply.body["has_more"] is expected_more
        assert reply.body["next_cursor"] == (found[-1] if expected_more else None)
        if expected_more:
            [path] = re.findall(r'^<([^>]+)>; rel="next"$', reply.headers["Link"])
            assert f"starting_after={found[-1]}" in path
            assert "limit=3" in path
        else:
            assert "Link" not in reply.headers
    assert found == made


@pytest.mark.spec("Pagination (not shown): cursors")
def test_pages_backward(api: ApiClient, made: list[str]) -> None:
    for end, page, has_more in ((made[-1], made[3:6], True), (made[3], made[0:3], False), (made[0], [], False)):
        reply = api.get(f"/payment-intents?limit=3&ending_before={end}")
        assert (ids(reply), reply.body["has_more"]) == (page, has_more)
    found: list[str] = []
    path: str | None = f"/api/public/v1/payment-intents?limit=2&ending_before={made[-1]}"
    while path:
        reply = api.get(path)
        found = ids(reply) + found
        path = next(iter(re.findall(r'^<([^>]+)>; rel="next"$', reply.headers.get("Link", ""))), None)
    assert found == made[:-1]


def test_pages_stay_stable_when_intents_are_added_or_move_on(api: ApiClient, world: World, made: list[str]) -> None:
    """And cursors are taken in every form of an id."""
    bare = made[2].replace("-", "")
    for written in (made[2], f"pi_{made[2]}", bare, f"pi_{bare}"):
        assert ids(api.get(f"/payment-intents?starting_after={written}")) == made[3:]
    first = api.get("/payment-intents?limit=3&status=created")
    assert (ids(first), first.body["next_cursor"]) == (made[:3], made[2])
    world.wait(1)
    create(api)
    assert ids(api.get(f"/payment-intents?limit=100&starting_after={made[2]}")) == made[3:]
    assert api.post(f"/payment-intents/{made[2]}/cancel").status == 200
    assert ids(api.get(f"/payment-intents?limit=3&status=created&starting_after={made[2]}")) == made[3:6]


@pytest.mark.spec("Contract 5.4; Contract 6.3")
@pytest.mark.spec("Pagination (not shown): cursors")
def test_cursors_that_are_refused(api: ApiClient, made: list[str]) -> None:
    for name, cursor in product(("starting_after", "ending_before"), (FOREIGN, "", "x", "pi_", "1", "%00")):
        reply = api.get(f"/payment-intents?{name}={cursor}")
        assert (reply.status, reply.body["code"]) == (400, "invalid_parameter"), (name, cursor)
        assert reply.body["details"] == {"parameter": name}
    both = api.get(f"/payment-intents?starting_after={made[0]}&ending_before={made[2]}")
    assert (both.status, both.body["code"]) == (400, "invalid_parameter")


@pytest.mark.spec("A key only sees intents of its own mode")
def test_others_are_invisible(api: ApiClient, live_api: ApiClient, other_api: ApiClient, made: list[str]) -> None:
    for stranger in (live_api, other_api):
        assert ids(stranger.get("/payment-intents")) == []
        assert ids(stranger.get("/payment-intents?reference=order%201")) == []
        assert ids(stranger.get(f"/payment-intents?q={made[0]}")) == []
        reply = stranger.get(f"/payment-intents?starting_after={made[0]}")
        unknown = stranger.get(f"/payment-intents?starting_after={FOREIGN}")
        assert reply.status == 400
        assert without_request(reply) == without_request(unknown)


def without_request(reply: Reply) -> dict[str, Any]:
    """The body of a refusal apart from the request's name."""
    return {name: value for name, value in reply.body.items() if name != "request_id"}
