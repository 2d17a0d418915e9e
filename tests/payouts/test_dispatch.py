"""What keeps a payout from being sent, and how often it is tried: budget, holds, waits, and slow workers."""

from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from chains import ledger
from chains.models import Transfer
from chains.rails.base import Hindered, Hindrance
from chains.rails.simulated import SimulatedRail
from core.clock import now
from merchants.principal import Principal
from payments.models import Credit, PaymentIntent
from payments.services.transition import apply_trigger, locked_intent
from payouts.models import Payout
from payouts.services import create_payout, pause_payouts, resume_payouts, sweep_due
from payouts.services.advance import advance_payout, claim_due, take_over_leases
from tests.conftest import ApiClient
from tests.factories.payments import credit
from tests.factories.rows import all_rows
from tests.invariants import violations
from tests.payments.world import World, advance
from tests.payouts.stories import asked, passed, run, sent, settled, shown, told, transfers

WAITS = [30, 120, 600, 1800, 7200, 21600]
COSTLY = ["chain_unavailable", "insufficient_funds", "insufficient_gas", "signer_unavailable"]
PAUSING = ["signer_paused", "day_cap_reached", "fee_above_cap"]


@pytest.fixture(autouse=True)
def _nothing_impossible(db: None) -> Any:
    """Whatever a test did, the checker of invariants finds nothing. Why without I1: no refund is made here."""
    yield
    assert [sentence for sentence in violations() if not sentence.startswith("I1 ")] == []


@pytest.fixture
def hinder(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Has the simulated chain hindered before anything is signed, until told otherwise."""
    preflight = SimulatedRail._preflight

    def hindered_by(reason: str | None) -> None:
        def refuse(self: SimulatedRail, transfer: Transfer) -> None:
            raise Hindered(Hindrance(reason or ""))

        monkeypatch.setattr(SimulatedRail, "_preflight", refuse if reason else preflight)

    return hindered_by


@pytest.mark.spec("Rulings B12.2")
@pytest.mark.parametrize("reason", COSTLY)
def test_seven_attempts_and_no_more(
    world: World, api: ApiClient, principal: Principal, hinder: Any, reason: str
) -> None:
    hinder(reason)
    payout = asked(principal, settled(world, api))
    for number, wait in enumerate(WAITS, start=1):
        run(world, 0)
        waiting = shown(api, payout)
        assert (waiting["status"], waiting["attempts"]) == ("retry_scheduled", number)
        assert waiting["failure_reason"] == reason
        advance(api, wait - 1)
        run(world, 0)
        assert shown(api, payout) == waiting
        advance(api, 1)
    run(world, 0)
    failed = shown(api, payout)
    assert (failed["status"], failed["attempts"], failed["failure_reason"]) == ("failed", 7, reason)
    assert failed["next_attempt_at"] is None
    assert told(payout) == ["created", *["processing", "retry_scheduled"] * 6, "processing", "failed"]
    assert (transfers(payout), sent(payout)) == (["failed"], [])
    hinder(None)
    assert api.post(f"/payouts/{payout.pk}/replay").status == 200
    run(world)
    done = shown(api, payout)
    assert (done["status"], done["attempts"], transfers(payout)) == ("paid", 8, ["failed", "paid"])


def test_a_replay_renews_the_budget(world: World, api: ApiClient, principal: Principal, hinder: Any) -> None:
    hinder("insufficient_funds")
    payout = asked(principal, settled(world, api))
    for _ in range(2):
        for wait in [*WAITS, 0]:
            run(world, 0)
            advance(api, wait or 1)
        assert shown(api, payout)["status"] == "failed"
        if shown(api, payout)["attempts"] == 7:
            assert api.post(f"/payouts/{payout.pk}/replay").status == 200
    assert (shown(api, payout)["attempts"], transfers(payout)) == (14, ["failed", "failed"])


@pytest.mark.spec("Contract 4.7")
@pytest.mark.parametrize("reason", PAUSING)
def test_a_hindrance_that_passes_is_a_pause_and_no_attempt(
    world: World, api: ApiClient, principal: Principal, hinder: Any, reason: str
) -> None:
    hinder(reason)
    payout = asked(principal, settled(world, api))
    run(world, 3600)
    paused = shown(api, payout)
    assert (paused["status"], paused["failure_reason"], paused["attempts"]) == ("paused", reason, 0)
    assert told(payout) == ["created", "processing", "paused"]
    hinder(None)
    run(world, 40)
    done = shown(api, payout)
    assert (done["status"], done["failure_reason"], done["attempts"]) == ("paid", None, 1)
    assert told(payout) == ["created", "processing", "paused", "processing", "paid"]
    assert (transfers(payout), len(sent(payout))) == (["paid"], 1)


def test_a_busy_signer_is_waited_for_without_a_word(
    world: World, api: ApiClient, principal: Principal, hinder: Any
) -> None:
    hinder("signer_busy")
    payout = asked(principal, settled(world, api))
    run(world, 20)
    assert (shown(api, payout)["status"], shown(api, payout)["attempts"]) == ("processing", 0)
    hinder(None)
    run(world)
    assert told(payout) == ["created", "processing", "paid"]


def test_one_that_reverted_is_sent_again_in_a_new_round(
    world: World, api: ApiClient, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    payout = asked(principal, settled(world, api))
    monkeypatch.setattr("payouts.services.plan._script", lambda payout, intent: "revert")
    run(world, 10)
    waiting = shown(api, payout)
    assert (waiting["status"], waiting["failure_reason"]) == ("retry_scheduled", "chain_rejected")
    assert (waiting["tx_hash"], waiting["attempts"]) == (None, 1)
    monkeypatch.undo()
    run(world, 60)
    assert (shown(api, payout)["status"], transfers(payout)) == ("paid", ["reverted", "paid"])
    assert told(payout) == ["created", "processing", "retry_scheduled", "processing", "paid"]


def test_one_that_always_reverts_fails_in_the_end(
    world: World, api: ApiClient, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    payout = asked(principal, settled(world, api))
    monkeypatch.setattr("payouts.services.plan._script", lambda payout, intent: "revert")
    for wait in [*WAITS, 1]:
        run(world, 10)
        advance(api, wait)
    failed = shown(api, payout)
    assert (failed["status"], failed["attempts"], failed["failure_reason"]) == ("failed", 7, "chain_rejected")
    assert transfers(payout) == ["reverted"] * 7


@pytest.mark.spec("Contract 4.7")
@pytest.mark.parametrize("when", ["before it is looked at", "while it waits", "while it is hindered"])
def test_a_merchant_s_pause_holds_what_was_not_signed(
    world: World, api: ApiClient, principal: Principal, hinder: Any, when: str
) -> None:
    hinder({"while it waits": "insufficient_funds", "while it is hindered": "signer_busy"}.get(when))
    payout = asked(principal, settled(world, api))
    if when != "before it is looked at":
        run(world, 0)
    pause_payouts(principal)
    hinder(None)
    run(world, 3600)
    held = shown(api, payout)
    assert (held["status"], held["failure_reason"], held["next_attempt_at"]) == ("paused", "merchant_paused", None)
    assert sent(payout) == []
    resume_payouts(principal)
    run(world)
    assert (shown(api, payout)["status"], len(sent(payout))) == ("paid", 1)


def test_a_merchant_s_pause_does_not_hold_what_may_land(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    run(world, 0)
    assert shown(api, payout)["status"] == "pending_provider"
    pause_payouts(principal)
    run(world)
    assert (shown(api, payout)["status"], told(payout)) == ("paid", ["created", "processing", "paid"])


def test_a_slow_worker_cannot_sign_what_was_paused_behind_its_back(
    world: World, api: ApiClient, principal: Principal, hinder: Any
) -> None:
    hinder("signer_busy")
    payout = asked(principal, settled(world, api))
    run(world, 1)
    stale = Transfer.objects.get(purpose_id=payout.pk)
    pause_payouts(principal)
    run(world, 5)
    hinder(None)
    SimulatedRail().step(stale)
    assert (transfers(payout), sent(payout)) == (["failed"], [])
    resume_payouts(principal)
    run(world)
    assert transfers(payout) == ["failed", "paid"]


def test_a_settlement_that_was_reversed_holds_its_payout(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    with transaction.atomic():
        apply_trigger(locked_intent(payout.intent_id), "reverse", actor="test", settled_at=None)
    sweep_due()
    held = shown(api, payout)
    assert (held["status"], held["failure_reason"], sent(payout)) == ("paused", "settlement_reversed", [])
    with transaction.atomic():
        apply_trigger(locked_intent(payout.intent_id), "restore", actor="test", settled_at=now())
    world.wait(60)
    sweep_due()
    run(world)
    assert (shown(api, payout)["status"], passed(payout)[2:4]) == ("paid", ["paused", "queued"])


def test_an_intent_that_was_refunded_ends_its_payout(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    with transaction.atomic():
        apply_trigger(locked_intent(payout.intent_id), "refund", actor="test")
    run(world)
    failed = shown(api, payout)
    assert (failed["status"], failed["failure_reason"], failed["attempts"]) == ("failed", "intent_not_settled", 0)
    assert (sent(payout), transfers(payout), told(payout)) == ([], [], ["created", "failed"])


def test_what_was_withdrawn_for_another_reason_is_tried_again(
    world: World, api: ApiClient, principal: Principal, hinder: Any
) -> None:
    hinder("signer_busy")
    payout = asked(principal, settled(world, api))
    run(world, 1)
    with transaction.atomic():
        withdrawn = ledger.locked_transfer(Transfer.objects.get(purpose_id=payout.pk).pk)
        ledger.advance(withdrawn, "fail", failure="withdrawn")
    hinder(None)
    run(world, 60)
    assert (shown(api, payout)["status"], transfers(payout)) == ("paid", ["failed", "paid"])


def test_a_broken_payout_does_not_stop_the_others(
    world: World, api: ApiClient, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = (asked(principal, settled(world, api), key) for key in ("a", "b"))
    look = SimulatedRail.step

    def stumble(self: SimulatedRail, transfer: Transfer) -> bool:
        if transfer.purpose_id == broken.pk:
            raise RuntimeError
        return look(self, transfer)

    monkeypatch.setattr(SimulatedRail, "step", stumble)
    run(world, 70)
    assert (shown(api, sound)["status"], sent(broken)) == ("paid", [])
    monkeypatch.undo()
    run(world, 70)
    assert (shown(api, broken)["status"], len(sent(broken))) == ("paid", 1)


def test_a_worker_that_dies_after_ordering_merely_delays(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    [claim] = claim_due()
    assert sweep_due() == 0
    world.wait(59)
    assert sweep_due() == 0
    world.wait(1)
    assert sweep_due() == 1
    before = all_rows()
    advance_payout(claim)
    assert all_rows() == before
    run(world)
    assert (shown(api, payout)["status"], len(sent(payout))) == ("paid", 1)


def test_who_is_alone_takes_leases_over_and_no_planned_attempt(
    world: World, api: ApiClient, principal: Principal, hinder: Any
) -> None:
    hinder("insufficient_funds")
    waiting = asked(principal, settled(world, api), "a")
    sweep_due()
    claimed = asked(principal, settled(world, api), "b")
    claim_due()
    take_over_leases()
    due = Payout.objects.filter(next_attempt_at__lte=now())
    assert [payout.pk for payout in due] == [claimed.pk]
    assert shown(api, waiting)["status"] == "retry_scheduled"


def test_a_sweep_whose_time_is_up_leaves_the_rest_due(world: World, api: ApiClient, principal: Principal) -> None:
    payouts = [asked(principal, settled(world, api), f"k{number}") for number in range(3)]
    assert sweep_due(seconds=0) == 1
    assert [shown(api, payout)["status"] for payout in payouts].count("queued") == 2
    assert sweep_due() == 2


def test_what_is_over_is_left_alone(world: World, api: ApiClient, principal: Principal) -> None:
    payout = asked(principal, settled(world, api))
    run(world)
    assert Payout.objects.get(pk=payout.pk).next_attempt_at is None
    world.wait(3600)
    assert sweep_due() == 0


def test_a_payout_beyond_what_its_intent_still_holds_is_not_sent(
    world: World, api: ApiClient, principal: Principal
) -> None:
    intent = settled(world, api)
    surplus = credit(
        PaymentIntent.objects.get(pk=intent["id"]), 5_000_000, block_time=now(), final_at=now(), finalized_at=now()
    )
    payout = asked(principal, intent)
    assert payout.base_units == 30_000_000
    Credit.objects.filter(pk=surplus.pk).update(reversed_at=now(), final_at=None, finalized_at=None)
    run(world)
    failed = shown(api, payout)
    assert (failed["status"], failed["failure_reason"], failed["attempts"]) == ("failed", "balance_changed", 0)
    assert (sent(payout), transfers(payout), told(payout)) == ([], [], ["created", "failed"])
    rest = create_payout(principal, UUID(intent["id"]), "rest", rest=True).payout
    run(world)
    assert [one.base_units for one in sent(rest)] == [25_000_000]
