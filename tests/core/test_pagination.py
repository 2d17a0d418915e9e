"""Lists: newest first, every row once, whatever is inserted or changed between two pages."""

from urllib.parse import parse_qs, urlsplit

import pytest

from payments.models import PaymentIntent
from tests.conftest import ApiClient, Reply
from tests.payments.world import create

LIST = "/payment-intents"


def make(api: ApiClient, count: int) -> list[str]:
    return [create(api)["id"] for _ in range(count)][::-1]


def ids(reply: Reply) -> list[str]:
    assert reply.status == 200, reply.body
    return [row["id"] for row in reply.body["data"]]


def in_order(identifiers: list[str]) -> list[str]:
    """Ids in the list's order: creation time, then id, both descending."""
    rows = PaymentIntent.objects.filter(pk__in=identifiers).order_by("-created_at", "-id")
    return [str(row.pk) for row in rows]


@pytest.mark.spec("Limits: list intents limit max 100, default 20; Contract 6.4")
def test_pages_in_both_directions_give_every_row_once(api: ApiClient) -> None:
    """And their link leads on with the same filters."""
    made = in_order(make(api, 23))
    assert ids(api.get(LIST)) == made[:20]
    assert ids(api.get(f"{LIST}?limit=100")) == made
    for edge, start, expected in (("starting_after", "", made), ("ending_before", made[-1], made[:-1])):
        seen: list[str] = []
        query, is_more = f"limit=3&status=created{start and f'&{edge}={start}'}", True
        while is_more:
            reply = api.get(f"{LIST}?{query}")
            page = ids(reply)
            seen = seen + page if edge == "starting_after" else page + seen
            is_more = reply.body["has_more"]
            if is_more:
                address, _, relation = reply.headers["Link"].partition("; ")
                query = urlsplit(address.strip("<>")).query
                assert (relation, reply.body["next_cursor"]) == (
                    'rel="next"',
                    page[-1 if edge == "starting_after" else 0],
                )
                leads_on = {"limit": ["3"], "status": ["created"], edge: [reply.body["next_cursor"]]}
                assert parse_qs(query) == leads_on
        assert (reply.body["next_cursor"], "Link" in reply.headers) == (None, False)
        assert seen == expected


@pytest.mark.spec("Contract 6.1")
def test_inserts_between_pages_move_nothing_and_a_row_that_left_the_filter_still_leads_on(api: ApiClient) -> None:
    made = in_order(make(api, 4))
    first = api.get(f"{LIST}?status=created&limit=2")
    make(api, 3)
    assert first.body["next_cursor"] == made[1]
    for form in (made[1], f"pi_{made[1]}", f"pi_{made[1].replace('-', '')}", made[1].upper()):
        assert ids(api.get(f"{LIST}?status=created&limit=2&starting_after={form}")) == made[2:]
    assert api.post(f"/payment-intents/{made[1]}/cancel").status == 200
    assert ids(api.get(f"{LIST}?status=created&limit=2&starting_after={made[1]}")) == made[2:]


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
