"""What agents do at the same moment, through their door: payouts of one intent, refunds of one balance, one key.

Every call is HTTP with an access token, on a database connection of its own, as from as many processes.
"""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from chains.models import Transfer
from core.money import usd
from mcp.models import AgentEffect
from merchants.models import IdempotencyRecord, Merchant
from payments.models import PaymentIntent
from payouts.models import Payout
from refunds.models import Refund
from tests.conftest import Reply
from tests.mcp.agents import Agent, ToolReply, connected_agent
from tests.races.lineup import Act, Ending, at_once, in_turn, queued
from tests.races.shop import Shop
from tests.races.test_payout_races import PAID, check_paid_once, finish, settled
from tests.races.test_refund_races import held, paid

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CALLERS = 16
AGENTS = 10
"""Why several: one connection may call ten times a second."""
BUSY = "temporarily_unavailable"


@pytest.fixture
def agents(shop: Shop) -> list[Agent]:
    merchant = Merchant.objects.get(pk=shop.principal.merchant_id)
    limits: dict[str, Any] = {"per_call_usd": usd("1000"), "per_day_usd": usd("100000"), "per_hour_count": 10_000}
    return [connected_agent(merchant, **limits) for _ in range(AGENTS)]


def pay_out(agent: Agent, intent_id: UUID, key: str) -> ToolReply:
    arguments = {"payment_intent_id": str(intent_id), "idempotency_key": key}
    return until_answered(partial(agent.call, "create_payout", arguments))


def refund(agent: Agent, intent_id: UUID, amount: str, key: str) -> ToolReply:
    arguments = {"payment_intent_id": str(intent_id), "amount_usd": amount, "idempotency_key": key}
    return until_answered(partial(agent.call, "create_refund", arguments))


def until_answered(call: Callable[[], ToolReply]) -> ToolReply:
    """Some wait too long for a lock and are told to come again: on a slow machine, most of them."""
    while (answer := call()).code in {BUSY, "idempotency_key_in_progress"}:
        assert answer.error["details"] == {"retryable": True}
    return answer


def results(endings: list[Ending]) -> list[Any]:
    assert [ending.refusal for ending in endings if ending.refusal] == []
    return [ending.result for ending in endings]


def told(endings: list[Ending]) -> list[dict[str, Any]]:
    answers: list[ToolReply] = results(endings)
    assert [answer.error for answer in answers if answer.is_error] == []
    return [answer.result["result"] for answer in answers]


@pytest.mark.spec("Agent tool interface; Agent-tool results")
@pytest.mark.parametrize("keys", ["one key", "a key each"])
def test_many_calls_at_once_make_one_payout_and_one_transfer(shop: Shop, agents: list[Agent], keys: str) -> None:
    intent_id = settled(shop)
    names = ["k" if keys == "one key" else f"k{number}" for number in range(CALLERS)]
    got = told(at_once([partial(pay_out, agents[n % AGENTS], intent_id, name) for n, name in enumerate(names)]))
    assert len(got) == CALLERS
    assert {frozenset(one) for one in got} <= {frozenset({"payoutId"}), frozenset({"payoutId", "coalesced"})}
    joined = Counter(one.get("coalesced") for one in got)
    assert joined[None] == CALLERS - joined[True] >= 1
    payout = Payout.objects.get()
    assert {one["payoutId"] for one in got} == {str(payout.pk)}
    assert [(effect.subject_id, effect.amount_usd) for effect in AgentEffect.objects.all()] == [(payout.pk, usd("25"))]
    finish(shop)
    check_paid_once(payout.pk, PAID)
    assert Transfer.objects.count() == 1
    late = pay_out(agents[0], intent_id, names[0])
    assert late.result == {"result": {"payoutId": str(payout.pk)}}
    shop.check()


@pytest.mark.spec("Agent tool interface; Agent-tool results")
def test_who_joins_a_call_under_way_is_told_and_nobody_else(shop: Shop, agents: list[Agent], rounds: range) -> None:
    for _ in rounds:
        intent_id = settled(shop)
        acts = [partial(pay_out, agent, intent_id, uuid4().hex) for agent in agents[:6]]
        got = told(queued(shop.row(intent_id), acts))
        assert [one.get("coalesced") for one in got] == [None] + [True] * 5
        assert len({one["payoutId"] for one in got}) == 1
        late = pay_out(agents[0], intent_id, "late").result
        assert late == {"result": {"payoutId": got[0]["payoutId"]}}


def test_two_intents_with_one_key_of_an_agent_make_one_payout(shop: Shop, agents: list[Agent], rounds: range) -> None:
    for _ in rounds:
        intents, key = [settled(shop), settled(shop)], uuid4().hex
        rows = PaymentIntent.objects.filter(pk__in=intents)
        acts = [partial(pay_out, agents[0], one, key) for one in intents]
        answers: list[ToolReply] = results(queued(rows, acts))
        assert sorted(answer.code for answer in answers) == ["", "idempotency_key_reused"]
        [made] = [answer.result["result"]["payoutId"] for answer in answers if not answer.is_error]
        assert str(Payout.objects.get(intent_id__in=intents).pk) == made


@pytest.mark.spec("Rulings D2.2; Errors: 409 and 422 of refunds and payouts")
@pytest.mark.parametrize("crowd", [8, pytest.param(32, marks=pytest.mark.exhaustive)])
def test_a_merchant_and_its_agents_never_refund_more_than_arrived(shop: Shop, agents: list[Agent], crowd: int) -> None:
    """In a token without decimals, worth three dollars and a bit: dollars and units must both hold."""
    intent_id = paid(shop, units=8, target_base_units=8, settlement_decimals=0)

    def by_rest(key: str) -> str:
        wish = {"intent_id": str(intent_id), "amount_usd": 3.125}
        while (reply := shop.api.post("/refunds", wish, Idempotency_Key=key)).status == 503:
            assert reply.body["code"] == BUSY
        assert reply.status in (201, 422)
        return str(reply.body.get("code", ""))

    def by_tool(agent: Agent, key: str) -> str:
        return refund(agent, intent_id, "3.125", key).code

    acts: list[Act] = []
    for number in range(crowd):
        acts += [partial(by_rest, f"r{number}"), partial(by_tool, agents[number % AGENTS], f"t{number}")]
    assert Counter(results(at_once(acts))) == {"": 8, "refund_exceeds_balance": 2 * crowd - 8}
    assert held(intent_id) == (Decimal(25), 8)
    by_agents = set(Refund.objects.filter(idempotency_key__startswith="t").values_list("pk", flat=True))
    assert by_agents == set(AgentEffect.objects.values_list("subject_id", flat=True))
    assert AgentEffect.objects.count() == len(by_agents)


def ids(answers: list[Any]) -> set[str]:
    return {str(answer.body["id"] if isinstance(answer, Reply) else answer.result["id"]) for answer in answers}


def test_one_key_makes_one_refund_for_each_maker(shop: Shop, agents: list[Agent], rounds: range) -> None:
    def by_rest(intent_id: UUID, key: str) -> Reply:
        wish = {"intent_id": str(intent_id), "amount_usd": 5}
        while (reply := shop.api.post("/refunds", wish, Idempotency_Key=key)).status in {503, 409}:
            assert reply.body["details"] == {"retryable": True}
        return reply

    for number in rounds:
        intent_id, key = paid(shop), uuid4().hex
        acts: list[Act] = [partial(refund, agents[0], intent_id, "5.00", key), partial(by_rest, intent_id, key)]
        acts += [partial(refund, agents[1], intent_id, "5.00", key), *acts]
        got = ids(results(at_once(in_turn(number, *acts))))
        mine = Refund.objects.filter(idempotency_key=key)
        assert got == {str(pk) for pk in mine.values_list("pk", flat=True)}
        actors = [agent.connection.actor for agent in agents[:2]]
        assert sorted(mine.values_list("maker", flat=True)) == sorted([*actors, "merchant"])


def test_one_key_makes_one_intent_for_each_maker(shop: Shop, agents: list[Agent], rounds: range) -> None:
    for number in rounds:
        key = uuid4().hex
        by_tool = {"amount": 25, "idempotency_key": key}
        acts: list[Act] = [
            partial(shop.api.post, "/payment-intents", {"amount": 25}, Idempotency_Key=key),
            *[partial(agent.call, "create_payment_intent", by_tool) for agent in agents[:3]],
        ]
        assert len(ids(results(at_once(in_turn(number, *acts * 2))))) == 4
        assert IdempotencyRecord.objects.filter(key=key).count() == 4
    assert PaymentIntent.objects.count() == 4 * len(rounds)


def test_of_cancels_at_once_one_cancels_and_all_are_told_so(shop: Shop, agents: list[Agent], rounds: range) -> None:
    for _ in rounds:
        intent_id = shop.create()
        cancel = {"payment_intent_id": str(intent_id)}
        acts = [partial(agent.call, "cancel_payment_intent", cancel) for agent in agents[:4]]
        answers: list[ToolReply] = results(queued(shop.row(intent_id), acts))
        told = [answer.result or answer.error["details"] for answer in answers]
        assert [each["status"] for each in told] == ["cancelled"] * 4
        assert sorted(answer.is_error for answer in answers) == [False, True, True, True]
        steps = PaymentIntent.objects.get(pk=intent_id).history.filter(trigger="cancel")
        assert steps.count() == 1
