"""Cancelling an intent by tool: as REST does, and a repeat is no refusal. Source: agents, Nine tools."""

from uuid import uuid4

import pytest

from core.modes import Mode
from mcp.caller import Caller
from merchants.services import NewMerchant
from tests.conftest import ApiClient
from tests.mcp.tools.acting import DESTINATIONS, agent_of, fields_of, refusal, rows
from tests.mcp.tools.calls import call, tool_named
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, events

TOOL = "cancel_payment_intent"
CANCELLABLE = ("created", "requires_payment", "quoted", "awaiting_signature")


@pytest.fixture
def agent(account: NewMerchant) -> Caller:
    """The first merchant's agent in test mode."""
    return agent_of(account)


@pytest.mark.parametrize("status", CANCELLABLE)
def test_an_unpaid_intent_is_cancelled(world: World, api: ApiClient, agent: Caller, status: str) -> None:
    intent = intent_in(world, api, status)
    answer = call(agent, TOOL, payment_intent_id=f"pi_{intent['id']}")
    assert (answer["id"], answer["status"], answer["mode"]) == (intent["id"], "cancelled", "test")
    assert api.get(f"/payment-intents/{intent['id']}").body["status"] == "cancelled"
    assert events(intent)[-1] == "cancelled"


def test_a_repeat_gets_the_intent_as_it_is(api: ApiClient, agent: Caller) -> None:
    intent = create(api)
    first = call(agent, TOOL, payment_intent_id=intent["id"])
    before = rows()
    assert call(agent, TOOL, payment_intent_id=intent["id"]) == first
    assert rows() == before
    assert events(intent).count("cancelled") == 1


def test_what_the_merchant_cancelled_is_cancelled(world: World, api: ApiClient, agent: Caller) -> None:
    intent = intent_in(world, api, "cancelled")
    assert call(agent, TOOL, payment_intent_id=intent["id"])["status"] == "cancelled"


@pytest.mark.parametrize(
    "status",
    [
        *("executing", "settled"),
        *(
            pytest.param(status, marks=pytest.mark.exhaustive)
            for status in STORIES
            if status not in (*CANCELLABLE, "cancelled", "executing", "settled")
        ),
    ],
)
def test_an_intent_that_is_past_cancelling(world: World, api: ApiClient, agent: Caller, status: str) -> None:
    intent = intent_in(world, api, status)
    error = refusal(agent, TOOL, payment_intent_id=intent["id"])
    assert (error.code, error.details["status"]) == ("intent_not_cancellable", status)


def test_an_intent_that_the_agent_cannot_see(api: ApiClient, account: NewMerchant, other_account: NewMerchant) -> None:
    intent = create(api)["id"]
    strangers = [
        (agent_of(account), str(uuid4())),
        (agent_of(other_account), intent),
        (agent_of(account, Mode.LIVE), intent),
    ]
    for agent, asked in strangers:
        error = refusal(agent, TOOL, payment_intent_id=asked)
        assert (error.code, error.details) == ("not_found", {"resource": "payment_intent"})


def test_nothing_but_the_intent_is_taken(api: ApiClient, agent: Caller) -> None:
    intent = create(api)
    for name in (*DESTINATIONS, "idempotency_key"):
        error = refusal(agent, TOOL, payment_intent_id=intent["id"], **{name: "x"})
        assert (error.code, fields_of(error)) == ("invalid_request", [(name, "unknown_field")])


def test_its_hints() -> None:
    assert tool_named(TOOL).annotations == {
        "title": "Cancel payment intent",
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": True,
        "openWorldHint": False,
    }
