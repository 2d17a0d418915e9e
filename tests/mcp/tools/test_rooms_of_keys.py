"""Idempotency keys of money that leaves: each maker has a room of its own, and the service's own acts need none."""

from typing import Any
from uuid import UUID

import pytest

from core.modes import Mode
from mcp.caller import Caller
from merchants.errors import IdempotencyKeyReused
from merchants.principal import Principal
from merchants.services import NewMerchant
from payouts.models import Payout
from payouts.services import create_payout, set_payout_at_settle
from refunds.models import Refund
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.mcp.tools.acting import agent_of, refusal
from tests.mcp.tools.calls import call
from tests.payments.world import World, advance, create, pay
from tests.payouts.stories import run
from tests.refunds.stories import settled

DAY = 86_400
KEY = "refund-order-1001"


@pytest.fixture
def agent(account: NewMerchant) -> Caller:
    """A connection of the first merchant in test mode."""
    return agent_of(account)


def refunded(agent: Caller, intent: dict[str, Any], amount: str, key: str) -> str:
    """The id of the agent's refund."""
    asked = {"payment_intent_id": intent["id"], "amount_usd": amount, "idempotency_key": key}
    return str(call(agent, "create_refund", **asked)["id"])


def test_an_agents_refund_takes_no_key_of_the_merchant(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    theirs = refunded(agent, intent, "0.01", KEY)
    wish = {"intent_id": intent["id"], "amount_usd": 20}
    mine = api.post("/refunds", wish, Idempotency_Key=KEY)
    assert mine.status == 201, mine.body
    assert mine.body["id"] != theirs
    assert api.post("/refunds", wish, Idempotency_Key=KEY).raw == mine.raw
    other = api.post("/refunds", wish | {"amount_usd": 1}, Idempotency_Key=KEY)
    assert_refused(other, 409, "idempotency_key_reused")
    made = Refund.objects.values_list("maker", "amount_usd")
    assert sorted((maker, str(amount)) for maker, amount in made) == [
        (agent.connection.actor, "0.010000"),
        ("merchant", "20.000000"),
    ]
    assert refunded(agent, intent, "0.02", "another") != theirs
    advance(api, 2 * DAY)
    assert refunded(agent, intent, "0.01", KEY) == theirs
    assert api.post("/refunds", {"intent_id": intent["id"], "amount_usd": 1}, Idempotency_Key="another").status == 201


def test_each_connection_has_its_own_keys(world: World, api: ApiClient, agent: Caller, account: NewMerchant) -> None:
    intent, other = settled(world, api), agent_of(account)
    first, second = refunded(agent, intent, "1", "k"), refunded(other, intent, "2", "k")
    assert first != second
    assert [refunded(agent, intent, "1", "k"), refunded(other, intent, "2", "k")] == [first, second]
    asked = {"payment_intent_id": intent["id"], "amount_usd": "2", "idempotency_key": "k"}
    assert refusal(agent, "create_refund", **asked).code == "idempotency_key_reused"
    assert Refund.objects.count() == 2


def test_people_and_keys_of_a_merchant_share_a_room(world: World, api: ApiClient, principal: Principal) -> None:
    intent, other = settled(world, api), settled(world, api)
    person, server = (
        Principal(merchant_id=principal.merchant_id, mode=Mode.TEST, actor=actor) for actor in ("user:1", "key:9")
    )
    made = create_payout(person, UUID(intent["id"]), "k").payout
    assert create_payout(server, UUID(intent["id"]), "k").payout == made
    with pytest.raises(IdempotencyKeyReused):
        create_payout(server, UUID(other["id"]), "k")
    assert Payout.objects.get() == made
    assert (made.maker, made.idempotency_key) == ("merchant", "k")


def test_a_key_like_the_services_own_stops_no_payout_at_settle(
    world: World, api: ApiClient, principal: Principal, agent: Caller
) -> None:
    first = settled(world, api)
    set_payout_at_settle(principal, enabled=True)
    second = create(api)
    key = f"settle:{second['id']}"
    call(agent, "create_payout", payment_intent_id=first["id"], idempotency_key=key)
    assert pay(api, second, "settle").status == 200
    run(world)
    made = Payout.objects.order_by("created_at", "pk")
    assert [str(payout.intent_id) for payout in made] == [first["id"], second["id"]]
    assert [(payout.maker, payout.idempotency_key) for payout in made] == [
        (agent.connection.actor, key),
        ("service", ""),
    ]
