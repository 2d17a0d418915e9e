"""Refunding by tool: to the paying wallet or to nobody yet, once per key, never more than is left.

Source: agents, Nine tools; specification, Refunds.
"""

from typing import Any
from uuid import uuid4

import pytest

from core.modes import Mode
from core.money import usd
from mcp.caller import Caller
from mcp.models import AgentEffect
from merchants.principal import Principal
from merchants.services import NewMerchant
from refunds.models import Refund, RefundPolicy
from tests.conftest import ApiClient
from tests.mcp.tools.acting import DESTINATIONS, agent_of, fields_of, refusal, rows
from tests.mcp.tools.calls import call, tool_named
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, advance
from tests.refunds.stories import settled, work

TOOL = "create_refund"
DAY = 86_400
NOT_REFUNDABLE = [
    *("created", "executing"),
    *(
        pytest.param(status, marks=pytest.mark.exhaustive)
        for status in ("requires_payment", "quoted", "awaiting_signature", "expired", "cancelled")
    ),
]


@pytest.fixture
def agent(account: NewMerchant) -> Caller:
    """The first merchant's agent in test mode."""
    return agent_of(account)


def to_paying_wallets(principal: Principal) -> None:
    """The merchant wants refunds to go where the payment came from."""
    RefundPolicy.objects.create(merchant_id=principal.merchant_id, mode=principal.mode, to_paying_wallet=True)


def refunded(agent: Caller, intent: dict[str, Any], amount: str = "10.00", **more: Any) -> dict[str, Any]:
    """The tool's answer."""
    return call(agent, TOOL, **{"payment_intent_id": intent["id"], "amount_usd": amount, "idempotency_key": "k"} | more)


def test_a_refund_goes_to_the_paying_wallet_where_the_merchant_wants_that(
    world: World, api: ApiClient, principal: Principal, agent: Caller
) -> None:
    to_paying_wallets(principal)
    intent = settled(world, api)
    answer = refunded(agent, intent, "10.00", reason="wrong size")
    refund = Refund.objects.get()
    assert refund.destination.lower() == refund.intent.legs.get().payer_address.lower()
    assert answer == {
        "id": str(refund.pk),
        "payment_intent_id": intent["id"],
        "amount_usd": "10.00",
        "chain": intent["settlement_chain"],
        "token": intent["settlement_token"],
        "destination": refund.destination,
        "status": "pending",
        "tx_hash": None,
        "created_at": answer["created_at"],
        "paid_at": None,
        "failure_reason": None,
        "attempts": 0,
        "updated_at": answer["updated_at"],
        "suggested_destination": None,
        "mode": "test",
    }
    assert (refund.base_units, refund.reason) == (10_000_000, "wrong size")
    assert [(effect.tool, effect.amount_usd, effect.subject_id) for effect in AgentEffect.objects.all()] == [
        (TOOL, usd("10"), refund.pk)
    ]
    work(world)
    refund.refresh_from_db()
    assert refund.status == "paid"


def test_without_that_wish_it_waits_for_a_destination(world: World, api: ApiClient, agent: Caller) -> None:
    answer = refunded(agent, settled(world, api))
    assert (answer["destination"], answer["status"], answer["failure_reason"]) == (
        "", "pending", "missing_destination",
    )  # fmt: skip
    work(world)
    assert Refund.objects.get().status == "waiting"


def test_a_repeat_gets_the_same_refund_for_ever(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    first = refunded(agent, intent, "25.00", reason="r")
    forms = [{}, {"payment_intent_id": f"pi_{intent['id']}"}, {"amount_usd": "25"}, {"amount_usd": "25.000000"}]
    for days in (1, 299):
        before = rows()
        for form in forms:
            assert refunded(agent, intent, **{"amount_usd": "25.00", "reason": "r"} | form)["id"] == first["id"]
        assert rows() == before
        advance(api, days * DAY)
    assert refunded(agent, intent, "25.00", reason="r")["id"] == first["id"]


def test_a_repeat_needs_no_room_within_limits(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    first = refunded(agent, intent)
    type(agent.connection).objects.update(per_call_usd=usd("0"), per_day_usd=usd("0"), per_hour_count=0)
    assert refunded(agent, intent)["id"] == first["id"]


def test_another_wish_under_the_key_is_refused(world: World, api: ApiClient, agent: Caller) -> None:
    intent, other = settled(world, api), settled(world, api)
    refunded(agent, intent)
    for _ in range(2):
        for change in ({"amount_usd": "10.01"}, {"reason": "another"}, {"payment_intent_id": other["id"]}):
            asked = {"payment_intent_id": intent["id"], "amount_usd": "10.00", "idempotency_key": "k"} | change
            assert refusal(agent, TOOL, **asked).code == "idempotency_key_reused", change
        advance(api, 2 * DAY)


@pytest.mark.parametrize("status", NOT_REFUNDABLE)
def test_an_intent_that_received_nothing(world: World, api: ApiClient, agent: Caller, status: str) -> None:
    assert status in STORIES
    intent = intent_in(world, api, status)
    asked = {"payment_intent_id": intent["id"], "amount_usd": "1.00", "idempotency_key": "k"}
    error = refusal(agent, TOOL, **asked)
    assert (error.code, error.details) == ("intent_not_settled", {"status": status})


def test_more_than_is_left(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    refunded(agent, intent, "20.00")
    asked = {"payment_intent_id": intent["id"], "amount_usd": "5.01", "idempotency_key": "other"}
    assert refusal(agent, TOOL, **asked).code == "refund_exceeds_balance"
    assert refunded(agent, intent, "5.00", idempotency_key="other")["amount_usd"] == "5.00"


def test_a_refusal_leaves_the_key_free(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    asked = {"payment_intent_id": intent["id"], "amount_usd": "26.00", "idempotency_key": "k"}
    assert refusal(agent, TOOL, **asked).code == "refund_exceeds_balance"
    assert refunded(agent, intent)["amount_usd"] == "10.00"


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
        error = refusal(agent, TOOL, payment_intent_id=asked, amount_usd="1.00", idempotency_key="k")
        assert (error.code, error.details) == ("not_found", {"resource": "payment_intent"})


def test_what_is_beyond_a_limit_is_not_sent(world: World, api: ApiClient, account: NewMerchant) -> None:
    intent = settled(world, api)
    asked = {"payment_intent_id": intent["id"], "amount_usd": "10.00", "idempotency_key": "k"}
    for limit in ("per_call_usd", "per_day_usd"):
        limits: dict[str, Any] = {limit: usd("9.99")}
        agent = agent_of(account, **limits)
        assert refusal(agent, TOOL, **asked).code == "limit_exceeded"
        assert refunded(agent, intent, "9.99")["amount_usd"] == "9.99"


def test_no_destination_is_taken(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    for name, value in DESTINATIONS.items():
        asked = {"payment_intent_id": intent["id"], "amount_usd": "1.00", "idempotency_key": name, name: value}
        error = refusal(agent, TOOL, **asked)
        assert (error.code, fields_of(error)) == ("invalid_request", [(name, "unknown_field")])
        assert tool_named(TOOL).run(agent, asked)["destination"] == ""


NO_AMOUNTS: dict[str, list[Any]] = {
    "type": [10, None],
    "format": ["", "10.0000001", "-1", "1e2", "+1", " 1", ".5", "1.", "1,5", "١", "NaN", "0x10", "12345678901", "1\n"],
    "out_of_range": ["0", "0.00", "1000000001"],
}
NO_REASONS: dict[str, list[Any]] = {"too_long": ["r" * 281], "type": [7, None, {}]}


def test_an_amount_or_a_reason_that_is_none(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    for field, table in (("amount_usd", NO_AMOUNTS), ("reason", NO_REASONS)):
        for code, values in table.items():
            for value in values:
                asked = {"payment_intent_id": intent["id"], "amount_usd": "1", "idempotency_key": "k", field: value}
                error = refusal(agent, TOOL, **asked)
                assert (error.code, fields_of(error)) == ("invalid_request", [(field, code)]), value


def test_the_longest_reason_and_the_smallest_amount(world: World, api: ApiClient, agent: Caller) -> None:
    answer = refunded(agent, settled(world, api), "0.000001", reason="r" * 280)
    assert (answer["amount_usd"], Refund.objects.get().base_units) == ("0.000001", 1)


def test_its_hints() -> None:
    assert tool_named(TOOL).annotations == {
        "title": "Create refund",
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": True,
        "openWorldHint": True,
    }
