"""Listing intents by tool. Source: agents, Nine tools; specification, Limits."""

from typing import Any

import pytest

from core.errors import InvalidRequest, NotFound
from mcp.caller import Caller
from tests.conftest import ApiClient
from tests.mcp.tools.calls import NOWHERE, call
from tests.mcp.tools.test_get_payment_intent import WRITTEN, as_rest
from tests.payments.world import World, create


def listed(caller: Caller, **arguments: Any) -> dict[str, Any]:
    """A page."""
    return call(caller, "list_payment_intents", **arguments)


def test_newest_first_as_in_rest_without_others_texts(world: World, api: ApiClient, caller: Caller) -> None:
    for _ in range(3):
        create(api, **WRITTEN)
        world.wait(1)
    rest = api.get("/payment-intents").body
    assert listed(caller) == {
        "mode": "test",
        "data": [as_rest(intent) for intent in rest["data"]],
        "has_more": False,
        "next_cursor": None,
    }
    assert len(rest["data"]) == 3


def test_pages_meet_without_gap_or_overlap(world: World, api: ApiClient, caller: Caller) -> None:
    made = []
    for _ in range(25):
        made.append(create(api)["id"])
        world.wait(1)
    first = listed(caller)
    assert (len(first["data"]), first["has_more"]) == (20, True)
    second = listed(caller, starting_after=first["next_cursor"])
    assert (second["has_more"], second["next_cursor"]) == (False, None)
    assert [intent["id"] for intent in first["data"] + second["data"]] == made[::-1]
    assert listed(caller, starting_after=f"pi_{first['next_cursor']}") == second


def test_by_status(api: ApiClient, caller: Caller) -> None:
    waiting, gone = create(api)["id"], create(api)["id"]
    api.post(f"/payment-intents/{gone}/cancel")
    assert [intent["id"] for intent in listed(caller, status="cancelled")["data"]] == [gone]
    assert [intent["id"] for intent in listed(caller, status="created")["data"]] == [waiting]
    assert listed(caller, status="settled")["data"] == []


def test_a_row_that_left_the_status_still_leads_on(world: World, api: ApiClient, caller: Caller) -> None:
    older = create(api)["id"]
    world.wait(1)
    gone = create(api)["id"]
    api.post(f"/payment-intents/{gone}/cancel")
    assert [intent["id"] for intent in listed(caller, status="created", starting_after=gone)["data"]] == [older]


def test_only_ones_own_in_ones_mode(api: ApiClient, caller: Caller, live_caller: Caller, other_caller: Caller) -> None:
    mine = create(api)["id"]
    assert [intent["id"] for intent in listed(caller)["data"]] == [mine]
    assert (listed(live_caller)["mode"], listed(live_caller)["data"]) == ("live", [])
    assert listed(other_caller)["data"] == []


def test_a_cursor_must_be_ones_own(api: ApiClient, caller: Caller, other_caller: Caller) -> None:
    mine = create(api)["id"]
    for who, cursor in ((caller, NOWHERE), (other_caller, mine)):
        with pytest.raises(NotFound):
            listed(who, starting_after=cursor)
    with pytest.raises(InvalidRequest):
        listed(caller, starting_after="yesterday")
