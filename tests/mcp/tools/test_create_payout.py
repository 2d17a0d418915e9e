"""Paying out by tool: one payout per intent, to where its merchant said, within limits.

Source: specification, Agent tool interface; agents, Nine tools.
"""

from typing import Any
from uuid import uuid4

import pytest

from chains.models import Transfer
from core.modes import Mode
from core.money import usd
from mcp.caller import Caller
from mcp.models import AgentEffect
from mcp.services.arguments import checked_arguments
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from payouts.models import Payout
from tests.conftest import ApiClient
from tests.mcp.tools.acting import DESTINATIONS, agent_of, fields_of, refusal, rows
from tests.mcp.tools.calls import NOWHERE, call, tool_named
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World
from tests.payouts.stories import run, sent, settled, told, transfers

TOOL = "create_payout"


@pytest.fixture
def agent(account: NewMerchant) -> Caller:
    """The first merchant's agent in test mode."""
    return agent_of(account)


def paid_out(agent: Caller, intent: dict[str, Any], key: str = "k") -> Payout:
    """The payout that the tool answers with."""
    answer = call(agent, TOOL, payment_intent_id=intent["id"], idempotency_key=key)
    assert answer == {"result": {"payoutId": answer["result"]["payoutId"]}}
    found: Payout = Payout.objects.get(pk=answer["result"]["payoutId"])
    return found


@pytest.mark.spec("Agent tool interface; Agent-tool results")
def test_a_settled_intent_is_paid_out_once(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    payout = paid_out(agent, intent)
    run(world)
    payout.refresh_from_db()
    assert (payout.status, payout.amount_usd, payout.destination) == (
        "paid",
        usd("25"),
        intent["settlement_address"],
    )
    assert (transfers(payout), len(sent(payout)), told(payout)) == (["paid"], 1, ["created", "processing", "paid"])
    assert [step.actor for step in payout.history.order_by("id")][0] == agent.connection.actor


@pytest.mark.spec("Agent tool interface; Agent-tool results")
def test_a_repeat_gets_the_same_payout_and_changes_nothing(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    first = paid_out(agent, intent)
    before = rows()
    assert [paid_out(agent, intent, key).pk for key in ("k", "another", "k")] == [first.pk] * 3
    assert rows() == before
    run(world)
    before = rows()
    assert paid_out(agent, intent).pk == first.pk
    assert rows() == before
    assert AgentEffect.objects.count() == Payout.objects.count() == Transfer.objects.count() == 1


def test_a_repeat_needs_no_room_within_limits(world: World, api: ApiClient, agent: Caller) -> None:
    """A payout that is there may be asked for again whatever the limits have become."""
    intent = settled(world, api)
    first = paid_out(agent, intent)
    type(agent.connection).objects.update(per_call_usd=usd("0"), per_day_usd=usd("0"), per_hour_count=0)
    assert paid_out(agent, intent).pk == first.pk


def test_the_key_of_another_intent_is_refused(world: World, api: ApiClient, agent: Caller) -> None:
    first, second = settled(world, api), settled(world, api)
    paid_out(agent, first)
    error = refusal(agent, TOOL, payment_intent_id=second["id"], idempotency_key="k")
    assert error.code == "idempotency_key_reused"


def test_every_form_of_the_id_is_the_same_intent(world: World, api: ApiClient, agent: Caller) -> None:
    intent, tool = settled(world, api), tool_named(TOOL)
    first = paid_out(agent, intent)
    forms = [{"payment_intent_id": text} for text in (intent["id"], f"pi_{intent['id']}", intent["id"].upper())]
    for named in (*forms, {"intent_id": intent["id"]}):
        answer = tool.run(agent, checked_arguments(tool, {**named, "idempotency_key": "k"}))
        assert answer == {"result": {"payoutId": str(first.pk)}}


@pytest.mark.parametrize(
    "status",
    [
        *("partially_filled", "refunded"),
        *(
            pytest.param(status, marks=pytest.mark.exhaustive)
            for status in STORIES
            if status not in {"settled", "partially_filled", "refunded"}
        ),
    ],
)
def test_an_intent_that_is_not_settled(world: World, api: ApiClient, agent: Caller, status: str) -> None:
    intent = intent_in(world, api, status)
    error = refusal(agent, TOOL, payment_intent_id=intent["id"], idempotency_key="k")
    assert (error.code, error.details) == ("intent_not_settled", {"status": status})


def test_a_settlement_that_cannot_be_paid_out(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    PaymentIntent.objects.get(pk=intent["id"]).credits.update(final_at=None)
    error = refusal(agent, TOOL, payment_intent_id=intent["id"], idempotency_key="k")
    assert (error.code, error.details) == ("payout_not_possible", {"reason": "settlement_missing"})


def test_an_intent_that_the_agent_cannot_see(
    world: World, api: ApiClient, account: NewMerchant, other_account: NewMerchant
) -> None:
    intent = settled(world, api)["id"]
    strangers = [
        (agent_of(account), str(uuid4())),
        (agent_of(other_account), intent),
        (agent_of(account, Mode.LIVE), intent),
    ]
    for agent, asked in strangers:
        error = refusal(agent, TOOL, payment_intent_id=asked, idempotency_key="k")
        assert (error.code, error.details) == ("not_found", {"resource": "payment_intent"})


def test_what_is_beyond_a_limit_is_not_sent(world: World, api: ApiClient, account: NewMerchant) -> None:
    intent = settled(world, api)
    for limit in ("per_call_usd", "per_day_usd"):
        limits: dict[str, Any] = {limit: usd("24.99")}
        error = refusal(agent_of(account, **limits), TOOL, payment_intent_id=intent["id"], idempotency_key="k")
        assert error.code == "limit_exceeded"
    assert Payout.objects.count() == 0


def test_no_destination_is_taken(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    asked = {"payment_intent_id": intent["id"], "idempotency_key": "k"}
    for name, value in DESTINATIONS.items():
        error = refusal(agent, TOOL, **asked, **{name: value})
        assert (error.code, fields_of(error)) == ("invalid_request", [(name, "unknown_field")])
    answer = tool_named(TOOL).run(agent, asked | DESTINATIONS)
    assert Payout.objects.get(pk=answer["result"]["payoutId"]).destination == intent["settlement_address"]


NO_ARGUMENTS: list[tuple[dict[str, Any], str, str]] = [
    ({"payment_intent_id": "x", "idempotency_key": "k"}, "payment_intent_id", "format"),
    ({"payment_intent_id": 7, "idempotency_key": "k"}, "payment_intent_id", "type"),
    ({"idempotency_key": "k"}, "payment_intent_id", "required"),
    ({"payment_intent_id": NOWHERE}, "idempotency_key", "required"),
    ({"payment_intent_id": NOWHERE, "idempotency_key": ""}, "idempotency_key", "out_of_range"),
    ({"payment_intent_id": NOWHERE, "idempotency_key": "k" * 256}, "idempotency_key", "too_long"),
    ({"payment_intent_id": NOWHERE, "idempotency_key": None}, "idempotency_key", "type"),
]


def test_arguments_that_are_none(world: World, api: ApiClient, agent: Caller) -> None:
    for arguments, field, code in NO_ARGUMENTS:
        error = refusal(agent, TOOL, **arguments)
        assert (error.code, fields_of(error)) == ("invalid_request", [(field, code)]), arguments
    intent = settled(world, api)
    for key in ("grün", "a\nb", "\x7f"):
        error = refusal(agent, TOOL, payment_intent_id=intent["id"], idempotency_key=key)
        assert error.code == "idempotency_key_invalid", key


def test_its_hints() -> None:
    assert tool_named(TOOL).annotations == {
        "title": "Create payout",
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": True,
        "openWorldHint": True,
    }
