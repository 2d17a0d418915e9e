"""Following a settlement by tool. Source: specification, Agent-tool result shapes; agents, Nine tools."""

from itertools import product
from typing import Any

import pytest

from core.errors import InvalidRequest, NotFound
from mcp.caller import Caller
from tests.conftest import ApiClient
from tests.mcp.tools.calls import NOWHERE, call
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create

TERMINAL = {"settled", "expired", "refunded", "cancelled", "failed"}


HERE = {"created", "executing", "partially_filled", "settled", "expired"}


@pytest.mark.spec("Contract 0.5")
@pytest.mark.parametrize(
    "status",
    [pytest.param(status, marks=() if status in HERE else pytest.mark.exhaustive) for status in STORIES],
)
def test_every_status_is_told_with_whether_to_ask_again(
    world: World, api: ApiClient, caller: Caller, status: str
) -> None:
    intent = intent_in(world, api, status)
    answer = call(caller, "poll_settlement", payment_intent_id=intent["id"])
    assert (answer["id"], answer["status"], answer["mode"]) == (intent["id"], status, "test")
    assert answer["terminal"] is (status in TERMINAL)
    assert answer["poll_after_seconds"] == (None if status in TERMINAL else 4)


@pytest.mark.spec("Rulings A8.3")
def test_a_settled_intent_shows_its_six_figures(world: World, api: ApiClient, caller: Caller) -> None:
    intent = intent_in(world, api, "settled")
    assert call(caller, "poll_settlement", payment_intent_id=intent["id"]) == {
        "id": intent["id"],
        "status": "settled",
        "amount_received_usd": "25.00",
        "platform_fee_usd": "0.00",
        "net_settlement_usd": "25.00",
        "settled_at": intent["settled_at"],
        "mode": "test",
        "terminal": True,
        "poll_after_seconds": None,
    }


def test_what_is_not_known_yet_is_null(api: ApiClient, caller: Caller) -> None:
    answer = call(caller, "poll_settlement", payment_intent_id=create(api)["id"])
    assert answer["amount_received_usd"] == "0.00"
    assert [answer[name] for name in ("platform_fee_usd", "net_settlement_usd", "settled_at")] == [None, None, None]


def test_the_prefixed_form_is_the_same_intent(api: ApiClient, caller: Caller) -> None:
    intent = create(api)
    assert call(caller, "poll_settlement", payment_intent_id=f"pi_{intent['id']}")["id"] == intent["id"]


def test_a_malformed_id_is_invalid_and_not_repeated(caller: Caller) -> None:
    texts = ("", "pi_", "1", "po_" + NOWHERE, NOWHERE + "\n", "' OR 1=1 --")
    for name, text in product(("poll_settlement", "get_payment_intent"), texts):
        with pytest.raises(InvalidRequest) as refusal:
            call(caller, name, payment_intent_id=text)
        problem: dict[str, Any] = {"field": "payment_intent_id", "code": "format", "message": "Must be a UUID."}
        assert refusal.value.details == {"fields": [problem]}, (name, text)


@pytest.mark.parametrize("name", ["poll_settlement", "get_payment_intent"])
def test_unknown_foreign_and_other_mode_look_alike(
    api: ApiClient, caller: Caller, live_caller: Caller, other_caller: Caller, name: str
) -> None:
    mine = create(api)["id"]
    seen = []
    for who, intent_id in ((caller, NOWHERE), (live_caller, mine), (other_caller, mine)):
        with pytest.raises(NotFound) as refusal:
            call(who, name, payment_intent_id=intent_id)
        seen.append((refusal.value.code, refusal.value.message, refusal.value.details))
    assert seen == [("not_found", "No such payment intent.", {"resource": "payment_intent"})] * 3
