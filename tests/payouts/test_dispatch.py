"""What keeps a payout from being sent, and how often it is tried: budget, holds, waits, and slow workers."""

from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from chains import ledger
from chains.blockers import Blocked, Blocker
from chains.models import Transfer
from chains.rails.simulated import SimulatedRail
from core.clock import now
from merchants.principal import Principal
from payments.models import Credit, PaymentIntent
from payments.services.transition import apply_trigger, locked_intent
from payouts.models import Payout
from payouts.services import create_payout, pause_payouts, resume_payouts, sweep_due
from payouts.services.advance import LEASE, SWEEP, advance_payout
from payouts.services.dispatch import begin
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
    """Has the simulated chain hindered before anything is signed, for all payouts or one, until told otherwise."""
    preflight, reasons = SimulatedRail._preflight, dict[UUID | None, str]()

    def refuse(self: SimulatedRail, transfer: Transfer) -> None:
        if reason := reasons.get(transfer.purpose_id) or reasons.get(None):
            raise Blocked(Blocker(reason))
        preflight(self, transfer)

    def hindered_by(reason: str | None, only: Payout | None = None) -> None:
        monkeypatch.setattr(SimulatedRail, "_preflight", refuse)
        if reason is None and only is None:
            reasons.clear()
        reasons[only.pk if only else None] = reason or ""

    return hindered_by


@pytest.mark.spec("Rulings B12.2")
@pytest.mark.parametrize("reason", COSTLY)
def test_seven_attempts_and_no_more_until_a_replay_renews_the_budget(
    world: World, api: ApiClient, principal: Principal, hinder: Any, reason: str
) -> None:
    payout = asked(principal, settled(world, api))
    hinder(reason)
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
    assert api.post(f"/payouts/{payout.pk}/replay").status == 200
    for wait in [*WAITS, 1]:
        run(world, 0)
        advance(api, wait)
    assert (shown(api, payout)["status"], shown(api, payout)["attempts"]) == ("failed", 14)
    hinder(None)
    assert api.post(f"/payouts/{payout.pk}/replay").status == 200
    run(world)
    done = shown(api, payout)
    assert (done["status"], done["attempts"], transfers(payout)) == ("paid", 15, ["failed", "failed", "paid"])


@pytest.mark.spec("Contract 4.7")
def test_a_passing_hindrance_is_no_attempt(world: World, api: ApiClient, principal: Principal, hinder: Any) -> None:
    """A busy signer is waited for without a word."""
    payouts = {reason: asked(principal, settled(world, api), reason) for reason in PAUSING}
    busy = asked(principal, settled(world, api), "signer_busy")
    for reason, payout in payouts.items():
        hinder(reason, only=payout)
    hinder("signer_busy", only=busy)
    run(world, 20)
    assert (shown(api, busy)["status"], shown(api, busy)["attempts"]) == ("processing", 0)
    hinder(None, only=busy)
    run(world, 300)
    for reason, payout in payouts.items():
        paused = shown(api, payout)
        assert (paused["status"], paused["failure_reason"], paused["attempts"]) == ("paused", reason, 0)
        assert told(payout) == ["created", "processing", "paused"]
    assert told(busy) == ["created", "processing", "paid"]
    hinder(None)
    run(world, 40)
    for payout in payouts.values():
        done = shown(api, payout)
        assert (done["status"], done["failure_reason"], done["attempts"]) == ("paid", None, 1)
        assert told(payout) == ["created", "processing", "paused", "processing", "paid"]
        assert (transfers(payout), len(sent(payout))) == (["paid"], 1)


def test_one_that_reverts_is_sent_again_in_a_new_round_and_fails_when_it_always_does(
    world: World, api: ApiClient, principal: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    lucky, unlucky = (asked(principal, settled(world, api), key) for key in ("a", "b"))
    reverting = {lucky.pk, unlucky.pk}
    monkeypatch.setattr(
        "payouts.services.plan._script", lambda payout, intent: "revert" if payout.pk in reverting else "pay"
    )
    run(world, 10)
    for payout in (lucky, unlucky):
        waiting = shown(api, payout)
        assert (waiting["status"], waiting["failure_reason"]) == ("retry_scheduled", "chain_rejected")
        assert (waiting["tx_hash"], waiting["attempts"]) == (None, 1)
    reverting.remove(lucky.pk)
    for wait in [*WAITS, 1]:
        advance(api, wait)
        run(world, 10)
    assert (shown(api, lucky)["status"], transfers(lucky)) == ("paid", ["reverted", "paid"])
    assert told(lucky) == ["created", "processing", "retry_scheduled", "processing", "paid"]
    failed = shown(api, unlucky)
    assert (failed["status"], failed["attempts"], failed["failure_reason"]) == ("failed", 7, "chain_rejected")
    assert transfers(unlucky) == ["reverted"] * 7


@pytest.mark.spec("Contract 4.7")
def test_a_merchant_s_pause_holds_what_was_not_signed_and_not_what_may_land(
    world: World, api: ApiClient, principal: Principal, hinder: Any
) -> None:
    waiting, hindered, flying = (asked(principal, settled(world, api), key) for key in ("w", "h", "f"))
    hinder("insufficient_funds", only=waiting)
    hinder("signer_busy", only=hindered)
    run(world, 0)
    assert shown(api, flying)["status"] == "pending_provider"
    unseen = asked(principal, settled(world, api), "u")
    pause_payouts(principal)
    hinder(None)
    run(world, 120)
    assert (shown(api, flying)["status"], told(flying)) == ("paid", ["created", "processing", "paid"])
    for payout in (waiting, hindered, unseen):
        held = shown(api, payout)
        assert (held["status"], held["failure_reason"], held["next_attempt_at"]) == ("paused", "merchant_paused", None)
        assert sent(payout) == []
    resume_payouts(principal)
    run(world)
    for payout in (waiting, hindered, unseen):
        assert (shown(api, payout)["status"], len(sent(payout))) == ("paid", 1)


def test_a_slow_worker_signs_nothing_paused(world: World, api: ApiClient, principal: Principal, hinder: Any) -> None:
    payout = asked(principal, settled(world, api))
    hinder("signer_busy")
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


def test_what_was_withdrawn_is_tried_again(world: World, api: ApiClient, principal: Principal, hinder: Any) -> None:
    payout = asked(principal, settled(world, api))
    hinder("signer_busy")
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
    [claim] = SWEEP.claim()
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
    assert Payout.objects.get(pk=payout.pk).next_attempt_at is None
    world.wait(3600)
    assert sweep_due() == 0


def test_no_payout_waits_for_a_lease_that_the_test_clock_took_from_its_worker(
    world: World, api: ApiClient, principal: Principal, hinder: Any
) -> None:
    """A planned attempt still waits for its own time."""
    planned, claimed = (asked(principal, settled(world, api), f"k{number}") for number in range(2))
    hinder("insufficient_funds", planned)
    assert sweep_due(seconds=0) == 1
    [claim] = SWEEP.claim()
    moved = api.post("/test-helpers/clock/advance", {"seconds": 1}, Idempotency_Key="clock")
    assert (moved.status, sent(claimed)) == (200, [])
    advance_payout(claim)
    assert sent(claimed) == []
    assert sweep_due() == 1
    assert [len(sent(one)) for one in (claimed, planned)] == [1, 0]
    hinder(None)
    run(world, WAITS[0] - 1)
    assert [shown(api, one)["status"] for one in (claimed, planned)] == ["paid", "pending_provider"]


def test_a_sweep_whose_time_is_up_leaves_the_rest_due_and_who_is_alone_takes_leases_over(
    world: World, api: ApiClient, principal: Principal, hinder: Any
) -> None:
    """But no planned attempt."""
    waiting, *others = (asked(principal, settled(world, api), f"k{number}") for number in range(3))
    hinder("insufficient_funds")
    assert sweep_due(seconds=0) == 1
    assert [shown(api, payout)["status"] for payout in (waiting, *others)] == ["retry_scheduled", "queued", "queued"]
    SWEEP.claim()
    SWEEP.take_over()
    due = Payout.objects.filter(next_attempt_at__lte=now())
    assert {payout.pk for payout in due} == {payout.pk for payout in others}
    assert sweep_due() == 2


def test_a_payout_beyond_what_its_intent_holds_is_not_sent(world: World, api: ApiClient, principal: Principal) -> None:
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


@pytest.mark.spec("States: payout; Payouts")
def test_an_overtaken_claim_sends_nothing(world: World, api: ApiClient, principal: Principal, hinder: Any) -> None:
    """The other one was hindered and planned the next attempt: until then nobody may send it, hindered or not."""
    payout = asked(principal, settled(world, api))
    [overtaken] = SWEEP.claim()
    world.wait(LEASE.total_seconds())
    hinder("insufficient_funds")
    run(world, 0)
    hinder(None)
    assert (shown(api, payout)["status"], shown(api, payout)["attempts"]) == ("retry_scheduled", 1)
    before = all_rows()
    assert begin(overtaken) is None
    advance_payout(overtaken)
    assert all_rows() == before
    run(world, 60)
    assert (shown(api, payout)["status"], shown(api, payout)["attempts"], len(sent(payout))) == ("paid", 2, 1)
