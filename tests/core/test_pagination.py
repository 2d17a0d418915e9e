"""Lists: newest first, every row once, whatever is inserted or changed between two pages."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from payments.models import PaymentIntent
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.payments.world import create

LIST = "/payment-intents"


def make(api: ApiClient, count: int) -> list[str]:
    """So many intents; their ids, newest first."""
    return [create(api)["id"] for _ in range(count)][::-1]


def ids(reply: Reply) -> list[str]:
    """The ids of a page."""
    assert reply.status == 200, reply.body
    return [row["id"] for row in reply.body["data"]]


def in_order(identifiers: list[str]) -> list[str]:
    """Ids in the list's order: creation time, then id, both descending."""
    rows = PaymentIntent.objects.filter(pk__in=identifiers).order_by("-created_at", "-id")
    return [str(row.pk) for row in rows]


@pytest.mark.spec("Limits: list intents limit max 100, default 20")
def test_the_limit_and_its_default(api: ApiClient) -> None:
    made = in_order(make(api, 23))
    assert ids(api.get(LIST)) == made[:20]
    assert ids(api.get(f"{LIST}?limit=100")) == made
    assert ids(api.get(f"{LIST}?limit=1")) == made[:1]


def test_pages_forward_give_every_row_once(api: ApiClient) -> None:
    made, seen, cursor = in_order(make(api, 7)), [], ""
    while True:
        reply = api.get(f"{LIST}?limit=3{cursor}")
        seen += ids(reply)
        if not reply.body["has_more"]:
            break
        assert reply.body["next_cursor"] == seen[-1]
        cursor = f"&starting_after={reply.body['next_cursor']}"
    assert seen == made
    assert (reply.body["next_cursor"], "Link" in reply.headers) == (None, False)


def test_pages_backward_give_every_row_once(api: ApiClient) -> None:
    made = in_order(make(api, 7))
    seen: list[str] = []
    cursor: str | None = made[-1]
    while cursor:
        reply = api.get(f"{LIST}?limit=2&ending_before={cursor}")
        seen = ids(reply) + seen
        cursor = reply.body["next_cursor"]
        assert (cursor is not None) == reply.body["has_more"]
    assert seen == made[:-1]


@pytest.mark.spec("Contract 6.4")
@pytest.mark.parametrize("edge", ["starting_after", "ending_before"])
def test_the_link_leads_on_with_the_same_filters(edge: str, api: ApiClient) -> None:
    made = in_order(make(api, 5))
    reply = api.get(f"{LIST}?limit=2&status=created&{edge}={made[2]}&customer_email=")
    assert reply.status in {200, 400}
    reply = api.get(f"{LIST}?limit=1&status=created&{edge}={made[2]}")
    address, _, relation = reply.headers["Link"].partition("; ")
    query = parse_qs(urlsplit(address.strip("<>")).query)
    assert relation == 'rel="next"'
    assert query == {"limit": ["1"], "status": ["created"], edge: [reply.body["next_cursor"]]}
    further = ids(api.get(f"{LIST}?{urlsplit(address.strip('<>')).query}"))
    assert further == ([made[4]] if edge == "starting_after" else [made[0]])


@pytest.mark.spec("Contract 6.1")
def test_inserts_between_pages_move_nothing(api: ApiClient) -> None:
    made = in_order(make(api, 4))
    first = api.get(f"{LIST}?limit=2")
    make(api, 3)
    assert ids(api.get(f"{LIST}?limit=2&starting_after={first.body['next_cursor']}")) == made[2:]


@pytest.mark.spec("Contract 6.1")
def test_rows_of_one_moment_are_ordered_by_id(api: ApiClient) -> None:
    made = make(api, 6)
    moment = PaymentIntent.objects.get(pk=made[0]).created_at
    PaymentIntent.objects.update(created_at=moment)
    expected = sorted(made, reverse=True)
    seen: list[str] = []
    query = ""
    for _ in expected:
        seen += ids(api.get(f"{LIST}?limit=1{query}"))
        query = f"&starting_after={seen[-1]}"
    assert seen == expected
    assert ids(api.get(f"{LIST}?ending_before={expected[3]}")) == expected[:3]


def test_a_row_that_left_the_filter_still_leads_on(api: ApiClient) -> None:
    made = in_order(make(api, 4))
    first = api.get(f"{LIST}?status=created&limit=2")
    assert api.post(f"/payment-intents/{made[1]}/cancel").status == 200
    assert ids(api.get(f"{LIST}?status=created&limit=2&starting_after={first.body['next_cursor']}")) == made[2:]


def test_both_forms_of_an_id_are_cursors(api: ApiClient) -> None:
    made = in_order(make(api, 2))
    for form in (made[0], f"pi_{made[0]}", f"pi_{made[0].replace('-', '')}", made[0].upper()):
        assert ids(api.get(f"{LIST}?starting_after={form}")) == made[1:]


@pytest.mark.spec("Contract 6.3")
def test_a_foreign_cursor_is_an_unknown_one(api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> None:
    mine = make(api, 1)[0]
    for stranger in (other_api, live_api):
        refused: Any = stranger.get(f"{LIST}?starting_after={mine}")
        assert_refused(refused, 400, "invalid_parameter")
        assert refused.body["details"] == {"parameter": "starting_after"}
