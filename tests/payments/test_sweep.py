"""payments.sweep_due: looks at each intent when something can have changed, and never spins."""

from typing import Any

import pytest

from core.clock import now
from payments.models import PaymentIntent
from payments.selectors import oldest_due_at
from payments.services.advance import sweep_due
from tests.conftest import ApiClient
from tests.factories.queue import due_at, queue
from tests.payments.payer import EVM_WALLET, Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, create, events, pay, read

RANDOM_HASH = "0x" + "ab" * 32


def rests(intent: dict[str, Any]) -> None:
    """One look is enough: a second sweep at the same moment finds nothing to do."""
    assert sweep_due() <= 1
    assert sweep_due() == 0
    due = due_at(intent["id"])
    assert due is None or due > now()


@pytest.mark.parametrize("status", STORIES)
def test_no_intent_spins(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    for seconds in (0, 61, 540, 1200):
        world.wait(seconds)
        sweep_due()
        rests(intent)


@pytest.mark.parametrize(("lives", "before", "waits"), [(1800, 0, [0, 1, 60, 538, 602]), (60, 59, [1] * 20)])
def test_an_unknown_hash_does_not_make_it_spin(
    world: World, api: ApiClient, lives: int, before: int, waits: list[int]
) -> None:
    """Neither told early, nor at the end."""
    intent = create(api, expires_in_seconds=lives)
    payer = Payer.of(intent)
    attempt = payer.start(world)
    world.wait(before)
    payer.report(attempt, 1, RANDOM_HASH)
    for seconds in waits:
        world.wait(seconds)
        if lives > 60:
            sweep_due()
        rests(intent)


def test_a_wallet_is_looked_into_again_for_a_top_up_and_beside_another_payment(world: World, api: ApiClient) -> None:
    again, part, beside = create(api), intent_in(world, api, "partially_filled"), create(api)
    payer = Payer.of(again)
    attempt = payer.start(world)
    payer.act("rejected", {"attempt_id": attempt["id"], "reason": "payer_rejected"})
    assert payer.connect()
    rests(again)
    assert payer.quote(world)["number"] == 2
    assert Payer.of(part).connect()[0]["pay_amount"] == "10.00"
    rests(part)
    Payer.of(beside).act("wallet", {"family": "evm", "address": EVM_WALLET})
    pay(api, beside, "in_doubt")
    world.run(3)
    assert Payer.of(beside).state()["wallet"]["status"] == "ready"
    rests(beside)


def test_late_money_is_looked_for_during_a_day(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "awaiting_signature", expires_in_seconds=60)
    world.wait(61)
    world.run(1)
    assert read(api, intent)["status"] == "expired"
    world.wait(3600)
    assert sweep_due() == 1
    assert due_at(intent["id"]) is not None
    world.wait(86_400)
    assert (sweep_due(), sweep_due()) == (1, 0)
    assert (due_at(intent["id"]), oldest_due_at()) == (None, None)


@pytest.mark.spec("Rulings B3.2; Contract 2.7")
def test_an_intent_expires_when_its_time_is_up_and_a_sweep_leaves_due_what_it_has_no_time_for(
    world: World, api: ApiClient
) -> None:
    intents = [create(api, expires_in_seconds=60) for _ in range(60)]
    world.wait(59.5)
    assert sweep_due() == 0
    world.wait(0.5)
    queue()
    assert sweep_due(seconds=0) == 1
    assert [read(api, intent)["status"] for intent in intents].count("created") == 59
    assert sweep_due(seconds=60) == 59
    assert {read(api, intent)["status"] for intent in intents} == {"expired"}
    assert all(events(intent) == ["created", "expired"] for intent in intents)


def test_one_broken_intent_does_not_stop_the_others(world: World, api: ApiClient) -> None:
    broken, sound = create(api), create(api)
    PaymentIntent.objects.filter(pk=broken["id"]).update(settlement_decimals=0, settlement_token="no such", mode="live")
    pay(api, sound)
    queue(pk=broken["id"])
    world.run(4)
    assert read(api, sound)["status"] == "settled"
