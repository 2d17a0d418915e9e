"""``wait`` on a payment intent: answered at once where nothing can change, else once its status is another."""

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from core.later import PLACE, Later
from core.waiting import MOST_OF_ALL, MOST_OF_ONE
from merchants.principal import Principal
from tests.conftest import API, ApiClient
from tests.core.error_form import assert_refused
from tests.payments.world import World, create, pay


def waits(api: ApiClient, intent: dict[str, Any], query: str) -> tuple[HttpResponse, Later]:
    """The view's own answer, and what the web server's entry is to wait for."""
    later = Later()
    client = Client(headers={"Authorization": f"Bearer {api.key}"})
    place: dict[str, Any] = {PLACE: later}
    answer: Any = client.get(f"{API}/payment-intents/{intent['id']}{query}", **place)
    return answer, later


def status_in(answer: HttpResponse | None) -> str:
    assert answer is not None
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    found: str = json.loads(answer.content)["status"]
    return found


def test_the_answer_comes_with_another_status_or_when_the_time_is_over(
    world: World, api: ApiClient, principal: Principal
) -> None:
    intent = create(api)
    answer, later = waits(api, intent, "?wait=25")
    assert status_in(answer) == "created"
    assert later.look is not None
    assert later.at_end is not None
    assert (later.seconds, later.look(), status_in(later.at_end())) == (25, None, "created")
    mine = f"wait:{principal.idempotency_scope}"
    assert later.rooms == (("wait", MOST_OF_ALL), (mine, MOST_OF_ONE))
    pay(api, intent)
    assert status_in(later.look()) == "requires_payment"
    world.run(10)
    assert status_in(later.look()) == "settled"
    ended = later.at_end()
    assert ended is not None
    assert json.loads(ended.content) == api.get(f"/payment-intents/{intent['id']}").body


def test_nobody_waits_for_what_is_over_or_without_asking(api: ApiClient) -> None:
    intent = create(api)
    for query in ("", "?wait=0"):
        assert waits(api, intent, query)[1].look is None
    api.post(f"/payment-intents/{intent['id']}/cancel")
    answer, later = waits(api, intent, "?wait=25")
    assert (status_in(answer), later.look) == ("cancelled", None)


@pytest.mark.parametrize("seconds", ["26", "-1", "1.5", "", "x", "٣", "100"])
def test_another_time_is_refused(api: ApiClient, seconds: str) -> None:
    reply = api.get(f"/payment-intents/{create(api)['id']}?wait={seconds}")
    assert_refused(reply, 400, "invalid_parameter")
    assert reply.body["details"] == {"parameter": "wait"}


def test_of_strangers_nothing_is_waited_for(api: ApiClient, other_api: ApiClient) -> None:
    answer, later = waits(other_api, create(api), "?wait=25")
    assert (answer.status_code, later.look) == (404, None)
