"""Random walks through an intent's life: whatever comes in whatever order, its story stays whole."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from core.states import InvalidTransition
from operations.invariants.histories import each_history_is_a_path, each_step_is_announced_once
from operations.invariants.paths import INTENT
from operations.invariants.scope import Scope
from payments.models import Leg, PaymentIntent
from payments.services.transition import apply_trigger, locked_intent
from payments.states import INTENT_MACHINE, IntentStatus
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.invariants import violations
from tests.payments.payer import Payer
from tests.payments.world import World, advance, create, pay, read
from tests.properties import few


@pytest.mark.spec("Contract 0.3; States and transitions: PaymentIntent")
def test_the_table_holds_no_other_way() -> None:
    ways = {(source, step.target) for step in INTENT_MACHINE.transitions for source in step.sources}
    assert ways <= {(source, target) for source, targets in INTENT.steps.items() for target in targets}
    assert set(INTENT_MACHINE.statuses) == set(IntentStatus.values) == set(INTENT.steps) - {""}
    assert INTENT_MACHINE.sources_of("cancel") == ["created", "requires_payment", "quoted", "awaiting_signature"]


@pytest.mark.spec("Rulings B15.2; Contract 2.18; Contract 21.11; States and transitions: PaymentIntent")
@few()
@given(seed=st.integers(0, 2**32), length=st.integers(10, 30))
def test_walks_over_the_table(world: World, api: ApiClient, seed: int, length: int) -> None:
    """Any trigger at any time: either the table knows it and all is written, or nothing is."""
    intent, dice = create(api), random.Random(seed)  # noqa: S311 - a walk, not a secret
    triggers = sorted({step.trigger for step in INTENT_MACHINE.transitions} - {"reverse", "restore"})
    for _ in range(length):
        trigger = dice.choice(triggers)
        with transaction.atomic():
            row = locked_intent(intent["id"])
            if INTENT_MACHINE.allows(row.status, trigger):
                apply_trigger(row, trigger, actor="test")
                continue
            before, status = all_rows(), row.status
            with pytest.raises(InvalidTransition):
                apply_trigger(row, trigger, actor="test")
            assert (all_rows(), row.status) == (before, status)
    assert [*each_history_is_a_path(Scope()), *each_step_is_announced_once(Scope())] == []


def _quote(world: World, api: ApiClient, intent: dict[str, Any], dice: random.Random) -> None:
    payer = Payer.of(intent, dice.choice(["evm", "solana"]))
    if payer.send("POST", "/wallet", {"family": payer.family, "address": payer.address}).status == 202:
        world.run(0.5)
        wallet = payer.state()["wallet"]
        if wallet is None:  # forgotten: the payment is over meanwhile
            return
        tokens = [token for token in wallet["tokens"] if token["sufficient"]]
        token = dice.choice(tokens[:6])
        payer.send("POST", "/quote", {"chain": token["chain"], "token_address": token["token_address"]})


def _on_attempt(world: World, api: ApiClient, intent: dict[str, Any], dice: random.Random) -> None:
    payer = Payer.of(intent)
    attempt = payer.state()["attempt"]
    if attempt is None:
        return
    path = dice.choice(["start", "start", "rejected", "submitted"])
    body: dict[str, Any] = {"attempt_id": attempt["id"]}
    if path == "submitted":
        body |= {"leg_sequence": 1, "tx_hash": f"0x{dice.getrandbits(256):064x}"}
    payer.send("POST", f"/{path}", body)


def _sign(world: World, api: ApiClient, intent: dict[str, Any], dice: random.Random) -> None:
    legs = list(Leg.objects.filter(intent_id=intent["id"]).exclude(issued={}).order_by("sequence"))
    if not legs:
        return
    leg, payer = dice.choice(legs), Payer.of(intent)
    behaviour = dice.choice(["settle", "settle", "partial", "overpay", "fail_execution", "bridge_refund", "reorg"])
    sent = {"attempt_id": str(leg.attempt_id), "leg_sequence": leg.sequence}
    reply = payer.send("POST", "/simulated-wallet/transactions", {**sent, "behaviour": behaviour})
    if reply.status == 201 and dice.random() < 0.7:
        payer.send("POST", "/submitted", {**sent, "tx_hash": reply.body["tx_hash"]})


def _helper(world: World, api: ApiClient, intent: dict[str, Any], dice: random.Random) -> None:
    pay(api, intent, dice.choice(["settle", "partial", "late", "fail", "fail_execution", "in_doubt", "bridge_refund"]))


def _cancel(world: World, api: ApiClient, intent: dict[str, Any], dice: random.Random) -> None:
    api.post(f"/payment-intents/{intent['id']}/cancel")


def _time(world: World, api: ApiClient, intent: dict[str, Any], dice: random.Random) -> None:
    seconds = dice.choice([1, 5, 61, 601, 1801])
    if dice.random() < 0.5:
        advance(api, seconds)
    else:
        world.wait(seconds)


def _work(world: World, api: ApiClient, intent: dict[str, Any], dice: random.Random) -> None:
    world.run(dice.choice([0, 1, 3]))


DEEDS: list[Callable[[World, ApiClient, dict[str, Any], random.Random], None]] = [
    *(_quote, _quote, _on_attempt, _on_attempt, _on_attempt, _sign, _sign, _helper, _cancel, _time, _work, _work)
]


@pytest.mark.spec("Rulings A8.3; States and transitions: PaymentIntent")
@few()
@given(seed=st.integers(0, 2**32))
def test_lives(world: World, api: ApiClient, seed: int) -> None:
    """Payer, merchant, clock and chain do what they like; nothing impossible comes of it."""
    dice = random.Random(seed)  # noqa: S311 - a walk, not a secret
    intent = create(api, metadata={"simulate": dice.choice(["settle", "partial", "reorg"])})
    was_over = ""
    for _ in range(14):
        dice.choice(DEEDS)(world, api, intent, dice)
        status = read(api, intent)["status"]
        if was_over and status != was_over:
            assert (was_over, status) == ("expired", "settled")
        was_over = status if status in INTENT_MACHINE.terminal else ""
    world.run(10)
    assert violations() == []
    row = PaymentIntent.objects.get(pk=intent["id"])
    if row.status == "settled":
        assert row.received_usd == (row.net_settlement_usd or 0) + (row.platform_fee_usd or 0)
    if row.status == "requires_payment":
        assert row.received_usd < 1
