"""``wait`` on events and on what is fetched: the web server's entry looks again, and nothing is held meanwhile."""

import json
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.later import PLACE, Later
from core.waiting import MOST_OF_ALL, MOST_OF_ONE
from merchants.principal import Principal
from tests.conftest import API, ApiClient
from tests.core.error_form import assert_refused
from tests.webhooks.actors import happen
from webhooks.delivery.fan_out import fan_out
from webhooks.models import Delivery


def waits(api: ApiClient, path: str) -> tuple[HttpResponse, Later]:
    """The view's own answer, and what the web server's entry is to wait for."""
    later = Later()
    client = Client(headers={"Authorization": f"Bearer {api.key}"})
    place: dict[str, Any] = {PLACE: later}
    answer: Any = client.get(f"{API}{path}", **place)
    return answer, later


def read(answer: HttpResponse | None) -> dict[str, Any]:
    assert answer is not None
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    body: dict[str, Any] = json.loads(answer.content)
    return body


def look(later: Later) -> HttpResponse | None:
    assert later.look is not None
    return later.look()


def happened(principal: Principal, name: str = "refund.paid") -> str:
    event = happen(principal, name)
    fan_out()
    return event.id


@pytest.fixture
def pull(api: ApiClient) -> str:
    made = api.post("/webhook-endpoints", {"kind": "pull", "events": ["*"]})
    return f"/webhook-endpoints/{made.body['id']}/pull"


def test_an_event_is_answered_once_it_has_its_place(api: ApiClient, principal: Principal) -> None:
    answer, later = waits(api, "/events?after=now&wait=25")
    assert (read(answer)["data"], later.seconds) == ([], 25)
    mine = f"wait:{principal.idempotency_scope}"
    assert later.rooms == (("wait", MOST_OF_ALL), (mine, MOST_OF_ONE))
    assert look(later) is None
    event_id = happened(principal)
    found = read(look(later))
    assert [one["id"] for one in found["data"]] == [event_id]
    assert api.get(f"/events?after={found['cursor']}").body["data"] == []


def test_when_the_time_is_over_the_cursor_is_the_newest(api: ApiClient, principal: Principal) -> None:
    answer, later = waits(api, "/events?after=now&wait=5&type=payout.*")
    happened(principal)
    assert look(later) is None
    assert later.at_end is not None
    ended = read(later.at_end())
    assert (ended["data"], ended["has_more"]) == ([], False)
    assert ended["cursor"] > read(answer)["cursor"]
    event_id = happened(principal, "payout.paid")
    assert [one["id"] for one in read(look(later))["data"]] == [event_id]


def test_a_look_that_finds_nothing_new_asks_one_thing(api: ApiClient, principal: Principal) -> None:
    happened(principal)
    _, later = waits(api, "/events?after=now&wait=5")
    with CaptureQueriesContext(connection) as asked:
        assert look(later) is None
    assert len(asked) == 1


def test_nobody_waits_where_there_is_something_or_without_asking(
    api: ApiClient, principal: Principal, pull: str
) -> None:
    for query in ("/events?after=now", "/events?wait=0", pull):
        assert waits(api, query)[1].look is None
    happened(principal)
    answer, later = waits(api, "/events?wait=25")
    assert (len(read(answer)["data"]), later.look) == (1, None)
    answer, later = waits(api, f"{pull}?wait=25")
    assert (len(read(answer)["data"]), later.look) == (1, None)


def test_what_is_due_is_given_out_to_who_waits(api: ApiClient, principal: Principal, pull: str) -> None:
    answer, later = waits(api, f"{pull}?wait=25")
    assert (read(answer), later.seconds) == ({"data": [], "has_more": False}, 25)
    with CaptureQueriesContext(connection) as asked:
        assert look(later) is None
    assert len(asked) == 1
    event_id = happened(principal)
    [given] = read(look(later))["data"]
    assert (given["event_id"], given["attempt"]) == (event_id, 1)
    assert look(later) is None
    assert Delivery.objects.get().attempts == 1


@pytest.mark.parametrize("seconds", ["26", "-1", "1.5", "", "x"])
def test_another_time_is_refused(api: ApiClient, pull: str, seconds: str) -> None:
    for path in ("/events", pull):
        reply = api.get(f"{path}?wait={seconds}")
        assert_refused(reply, 400, "invalid_parameter")
        assert reply.body["details"] == {"parameter": "wait"}
