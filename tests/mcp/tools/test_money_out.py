"""Money that an agent sends: payouts and refunds by tool, once, within limits, under keys of its own.

Source: specification, Agent tool interface, Refunds; agents, Nine tools.
"""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from chains.models import Transfer
from core.money import usd
from mcp.arguments import checked_arguments
from mcp.caller import Caller
from mcp.models import AgentEffect
from merchants.errors import IdempotencyKeyReused
from merchants.principal import Principal
from merchants.services import NewMerchant
from payouts.models import Payout
from payouts.services import create_payout, set_payout_at_settle
from refunds.models import Refund, RefundPolicy
from tests.conftest import ApiClient
from tests.core.error_form import assert_refused
from tests.mcp.charter.stories import PAYOUT, REFUND
from tests.mcp.tools.calls import NOWHERE, call, caller_of, fields_of, refusal, rows, tool_named
from tests.payments.statuses import intent_in
from tests.payments.world import World, advance, create, pay
from tests.payouts.stories import run, sent, told, transfers
from tests.refunds.stories import settled, work


def paid_out(agent: Caller, intent: dict[str, Any], key: str = "k") -> Payout:
    answer = call(agent, PAYOUT, payment_intent_id=intent["id"], idempotency_key=key)
    assert answer == {"result": {"payoutId": answer["result"]["payoutId"]}}
    found: Payout = Payout.objects.get(pk=answer["result"]["payoutId"])
    return found


@pytest.mark.spec("Agent tool interface; Agent-tool results")
def test_a_settled_intent_is_paid_out_once(world: World, api: ApiClient, agent: Caller) -> None:
    intent = settled(world, api)
    payout, before = paid_out(agent, intent), rows()
    assert [paid_out(agent, intent, key).pk for key in ("k", "another", "k")] == [payout.pk] * 3
    assert rows() == before
    run(world)
    payout.refresh_from_db()
    assert (payout.status, payout.amount_usd, payout.destination) == ("paid", usd("25"), intent["settlement_address"])
    assert (transfers(payout), len(sent(payout)), told(payout)) == (["paid"], 1, ["created", "processing", "paid"])
    assert payout.history.earliest("id").actor == agent.connection.actor
    before, tool = rows(), tool_named(PAYOUT)
    assert AgentEffect.objects.count() == Payout.objects.count() == Transfer.objects.count() == 1
    forms = [{"payment_intent_id": text} for text in (intent["id"], f"pi_{intent['id']}", intent["id"].upper())]
    for named in (*forms, {"intent_id": intent["id"]}):
        answer = tool.run(agent, checked_arguments(tool, {**named, "idempotency_key": "k"}))
        assert answer == {"result": {"payoutId": str(payout.pk)}}
    assert rows() == before
    # A repeat needs no room within limits.
    type(agent.connection).objects.update(per_call_usd=usd("0"), per_day_usd=usd("0"), per_hour_count=0)
    assert paid_out(agent, intent).pk == payout.pk
    second = settled(world, api)
    assert refusal(agent, PAYOUT, payment_intent_id=second["id"], idempotency_key="k").code == "idempotency_key_reused"


NO_ARGUMENTS: list[tuple[dict[str, Any], str, str]] = [
    ({"payment_intent_id": "x", "idempotency_key": "k"}, "payment_intent_id", "format"),
    ({"payment_intent_id": 7, "idempotency_key": "k"}, "payment_intent_id", "type"),
    ({"idempotency_key": "k"}, "payment_intent_id", "required"),
    ({"payment_intent_id": NOWHERE}, "idempotency_key", "required"),
    ({"payment_intent_id": NOWHERE, "idempotency_key": ""}, "idempotency_key", "out_of_range"),
    ({"payment_intent_id": NOWHERE, "idempotency_key": "k" * 256}, "idempotency_key", "too_long"),
    ({"payment_intent_id": NOWHERE, "idempotency_key": None}, "idempotency_key", "type"),
]


def asking(intent: dict[str, Any], key: str = "k", **more: Any) -> dict[str, Any]:
    return {"payment_intent_id": intent["id"], "idempotency_key": key} | more


def test_what_cannot_be_paid_out(world: World, api: ApiClient, agent: Caller, account: NewMerchant) -> None:
    error = refusal(agent, PAYOUT, **asking(intent_in(world, api, "partially_filled")))
    assert (error.code, error.details) == ("intent_not_settled", {"status": "partially_filled"})
    intent = settled(world, api)
    for limit in ("per_call_usd", "per_day_usd"):
        limits: dict[str, Any] = {limit: usd("24.99")}
        assert refusal(caller_of(account, **limits), PAYOUT, **asking(intent)).code == "limit_exceeded"
    assert Payout.objects.count() == 0
    for arguments, field, code in NO_ARGUMENTS:
        error = refusal(agent, PAYOUT, **arguments)
        assert (error.code, fields_of(error)) == ("invalid_request", [(field, code)]), arguments
    assert refusal(agent, PAYOUT, **asking(intent, "grün")).code == "idempotency_key_invalid"


def refunded(agent: Caller, intent: dict[str, Any], amount: str = "10.00", **more: Any) -> dict[str, Any]:
    return call(agent, REFUND, **asking(intent, amount_usd=amount) | more)


def test_a_refund_goes_to_the_paying_wallet_where_the_merchant_wants_that(
    world: World, api: ApiClient, principal: Principal, agent: Caller
) -> None:
    RefundPolicy.objects.create(merchant_id=principal.merchant_id, mode=principal.mode, to_paying_wallet=True)
    intent = settled(world, api)
    answer = refunded(agent, intent, "10.00", reason="wrong size")
    refund = Refund.objects.get()
    assert refund.destination.lower() == refund.intent.legs.get().payer_address.lower()
    by_rest = api.get(f"/refunds/{refund.pk}").body
    shared = {name: value for name, value in by_rest.items() if name not in {"reason", "payers"}}
    assert answer == shared | {"amount_usd": "10.00", "status": "pending", "failure_reason": None, "mode": "test"}
    assert (refund.base_units, refund.reason) == (10_000_000, "wrong size")
    assert AgentEffect.objects.values_list("tool", "amount_usd", "subject_id").get() == (REFUND, usd("10"), refund.pk)
    work(world)
    refund.refresh_from_db()
    assert refund.status == "paid"


def test_a_key_stands_for_one_refund_for_ever(world: World, api: ApiClient, agent: Caller) -> None:
    intent, other = settled(world, api), settled(world, api)
    wish = asking(intent, amount_usd="25.00", reason="r")
    first = call(agent, REFUND, **wish)["id"]
    forms = [{}, {"payment_intent_id": f"pi_{intent['id']}"}, {"amount_usd": "25"}, {"amount_usd": "25.000000"}]
    changes = ({"amount_usd": "10.01"}, {"reason": "another"}, {"payment_intent_id": other["id"]})
    for days in (1, 299):
        before = rows()
        assert [call(agent, REFUND, **wish | form)["id"] for form in forms] == [first] * 4
        assert rows() == before
        for change in changes:
            assert refusal(agent, REFUND, **wish | change).code == "idempotency_key_reused", change
        advance(api, days * 86_400)
    # A repeat needs no room within limits.
    type(agent.connection).objects.update(per_call_usd=usd("0"), per_day_usd=usd("0"), per_hour_count=0)
    assert call(agent, REFUND, **wish)["id"] == first


def test_a_refusal_leaves_the_key_free(world: World, api: ApiClient, agent: Caller, account: NewMerchant) -> None:
    error = refusal(agent, REFUND, **asking(intent_in(world, api, "executing"), amount_usd="1.00"))
    assert (error.code, error.details) == ("intent_not_settled", {"status": "executing"})
    intent = settled(world, api)
    assert refusal(agent, REFUND, **asking(intent, amount_usd="26.00")).code == "refund_exceeds_balance"
    assert refunded(agent, intent)["amount_usd"] == "10.00"
    assert refusal(agent, REFUND, **asking(intent, "other", amount_usd="15.01")).code == "refund_exceeds_balance"
    assert refunded(agent, intent, "5.00", idempotency_key="other")["amount_usd"] == "5.00"
    # What is beyond a limit is not sent.
    for limit in ("per_call_usd", "per_day_usd"):
        limits: dict[str, Any] = {limit: usd("4.99")}
        lowered = caller_of(account, **limits)
        assert refusal(lowered, REFUND, **asking(intent, amount_usd="5.00")).code == "limit_exceeded"
        assert refunded(lowered, intent, "4.99")["amount_usd"] == "4.99"


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
                error = refusal(agent, REFUND, **asking(intent, amount_usd="1") | {field: value})
                assert (error.code, fields_of(error)) == ("invalid_request", [(field, code)]), value
    answer = refunded(agent, intent, "0.000001", reason="r" * 280)
    assert (answer["amount_usd"], Refund.objects.get().base_units) == ("0.000001", 1)


KEY = "refund-order-1001"


def refund_of(agent: Caller, intent: dict[str, Any], amount: str, key: str) -> str:
    return str(refunded(agent, intent, amount, idempotency_key=key)["id"])


def test_keys_of_the_merchant_and_of_each_connection_do_not_meet(
    world: World, api: ApiClient, agent: Caller, account: NewMerchant
) -> None:
    intent, second = settled(world, api), caller_of(account)
    theirs, others = refund_of(agent, intent, "0.01", KEY), refund_of(second, intent, "2", KEY)
    wish = {"intent_id": intent["id"], "amount_usd": 20}
    mine = api.post("/refunds", wish, Idempotency_Key=KEY)
    assert mine.status == 201, mine.body
    assert len({mine.body["id"], theirs, others}) == 3
    assert api.post("/refunds", wish, Idempotency_Key=KEY).raw == mine.raw
    other = api.post("/refunds", wish | {"amount_usd": 1}, Idempotency_Key=KEY)
    assert_refused(other, 409, "idempotency_key_reused")
    assert refusal(agent, REFUND, **asking(intent, KEY, amount_usd="2")).code == "idempotency_key_reused"
    makers = {maker: str(amount) for maker, amount in Refund.objects.values_list("maker", "amount_usd")}
    assert makers == {agent.connection.actor: "0.010000", second.connection.actor: "2.000000", "merchant": "20.000000"}
    assert refund_of(agent, intent, "0.02", "another") != theirs
    advance(api, 2 * 86_400)
    assert [refund_of(agent, intent, "0.01", KEY), refund_of(second, intent, "2", KEY)] == [theirs, others]
    assert api.post("/refunds", wish | {"amount_usd": 1}, Idempotency_Key="another").status == 201


def test_people_and_keys_of_a_merchant_share_a_room(world: World, api: ApiClient, principal: Principal) -> None:
    intent, other = settled(world, api), settled(world, api)
    person, server = (replace(principal, actor=actor) for actor in ("user:1", "key:9"))
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
    call(agent, PAYOUT, payment_intent_id=first["id"], idempotency_key=key)
    assert pay(api, second, "settle").status == 200
    run(world)
    made = {str(payout.intent_id): (payout.maker, payout.idempotency_key) for payout in Payout.objects.all()}
    assert made == {first["id"]: (agent.connection.actor, key), second["id"]: ("service", "")}
