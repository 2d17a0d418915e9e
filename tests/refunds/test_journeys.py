"""Whole stories of refunds in test mode: paid once, in parts, tried again, in doubt, failed, cancelled."""

from typing import Any

import pytest

from chains.models import SimulatedTransaction, Transfer, TransferAttempt
from payments.models import PaymentIntent
from refunds.services.advance import sweep_due
from tests.conftest import ApiClient
from tests.invariants import violations
from tests.payments.world import World, advance, events, history, read
from tests.refunds.stories import PAYEE, last_event, public, refund, row, settled, shown, steps, told, work

WAITS = (30, 120, 600, 1800, 7200, 21600)
"""Source: rulings, Wire words (refund and payout dispatch)."""


def sent(made: dict[str, Any]) -> list[SimulatedTransaction]:
    return list(SimulatedTransaction.objects.filter(tag=f"refund:{made['id']}").order_by("id"))


@pytest.mark.spec("States: refund; Refund")
def test_a_refund_is_paid_once(world: World, api: ApiClient) -> None:
    intent = settled(world, api)
    made = refund(api, intent, 10, destination=PAYEE, reason="broken")
    assert (made["status"], made["failure_reason"], made["tx_hash"], made["attempts"]) == ("pending", None, None, 0)
    assert public(made)["status"] == "pending"
    work(world)
    now_shown = shown(api, made)
    [landed] = sent(made)
    paid_at = now_shown["paid_at"]
    ended = {"status": "paid", "tx_hash": landed.tx_hash, "attempts": 1, "paid_at": paid_at, "updated_at": paid_at}
    assert now_shown == made | ended
    assert now_shown["paid_at"] > made["created_at"]
    assert (landed.recipient, landed.base_units, landed.chain) == (PAYEE, 10_000_000, "base")
    assert public(made)["status"] == "succeeded"
    assert steps(made) == ["waiting", "queued", "processing", "paid"]
    assert told(made) == ["created", "processing", "paid"]
    assert (Transfer.objects.count(), TransferAttempt.objects.count()) == (1, 1)
    assert read(api, intent) == intent | {"amount_refunded_usd": "10.00"}
    assert row(made).next_attempt_at is None
    assert sweep_due() == 0
    assert violations() == []


@pytest.mark.spec("Contract 2.10; Contract 2.17; States: into failed, expired, refunded (not shown); States: refund")
def test_parts_add_up_to_the_whole_which_ends_the_intent(world: World, api: ApiClient) -> None:
    intent = settled(world, api, "overpay")
    parts = [refund(api, intent, amount, destination=PAYEE) for amount in (0.01, 17.333333, 10.156667)]
    work(world)
    assert [shown(api, made)["status"] for made in parts] == ["paid"] * 3
    assert sum(landed.base_units for made in parts for landed in sent(made)) == 27_500_000
    assert read(api, intent) == intent | {"status": "refunded", "amount_refunded_usd": "27.50"}
    assert history(intent)[-2:] == ["settled", "refunded"]
    assert (events(intent)[-1], events(intent).count("refunded")) == ("refunded", 1)
    assert violations() == []


@pytest.mark.spec("States: refund")
@pytest.mark.parametrize("scenario", ["partial", "late"])
def test_what_arrived_without_settling_goes_back(world: World, api: ApiClient, scenario: str) -> None:
    intent = settled(world, api, scenario)
    amount = {"partial": 15, "late": 25}[scenario]
    refund(api, intent, amount, destination=PAYEE)
    work(world)
    assert read(api, intent)["status"] == "refunded"
    assert history(intent)[-2:] == [intent["status"], "refunded"]
    assert violations() == []


@pytest.mark.spec("Contract 18.2; Test mode: webhooks, retries and error paths")
def test_a_second_try(world: World, api: ApiClient) -> None:
    intent = settled(world, api, metadata={"simulate": "refund_retry"})
    made = refund(api, intent, destination=PAYEE)
    work(world, 2)
    assert public(made)["status"] == "retry_scheduled"
    seen = shown(api, made)
    assert (seen["status"], seen["failure_reason"], seen["attempts"]) == ("pending", "chain_unavailable", 1)
    assert sent(made) == []
    work(world, 26)
    assert public(made)["status"] == "retry_scheduled"
    advance(api, 2)
    work(world)
    seen = shown(api, made)
    assert (seen["status"], seen["failure_reason"], seen["attempts"]) == ("paid", None, 2)
    assert steps(made) == ["waiting", "queued", "processing", "retry_scheduled", "processing", "paid"]
    assert told(made) == ["created", "processing", "paid"]
    assert len(sent(made)) == 1


@pytest.mark.spec("Contract 3.3; Contract 3.8; Test mode: webhooks, retries and error paths")
def test_a_refund_that_fails_releases_what_it_held(world: World, api: ApiClient) -> None:
    intent = settled(world, api, metadata={"simulate": "refund_fail"})
    made = refund(api, intent, destination=PAYEE)
    work(world)
    seen = shown(api, made)
    assert (seen["status"], seen["failure_reason"], seen["paid_at"]) == ("failed", "chain_rejected", None)
    assert (public(made)["status"], public(made)["terminal"]) == ("failed", True)
    assert told(made) == ["created", "processing", "failed"]
    assert last_event(made)["data"]["failure_reason"] == "chain_rejected"
    assert sent(made) == []
    assert read(api, intent) == intent
    assert refund(api, intent)["status"] == "pending"


@pytest.mark.spec("Contract 3.8; Test mode: webhooks, retries and error paths")
def test_an_unknown_outcome_is_never_failed(world: World, api: ApiClient) -> None:
    intent = settled(world, api, metadata={"simulate": "refund_unknown"})
    made = refund(api, intent, destination=PAYEE)
    work(world, 5)
    assert public(made)["status"] == "processing"
    advance(api, 590)
    work(world, 2)
    assert public(made)["status"] == "processing"
    assert told(made) == ["created", "processing"]
    advance(api, 10)
    work(world)
    assert (shown(api, made)["status"], shown(api, made)["attempts"]) == ("paid", 1)
    assert len(sent(made)) == 1


@pytest.mark.spec("Rulings B12.2")
def test_attempts_are_used_up(world: World, api: ApiClient) -> None:
    """A chain that cannot be reached for hours: seven attempts, then failed, and nothing will ever be sent."""
    intent = settled(world, api, metadata={"simulate": "refund_retry"})
    made = refund(api, intent, destination=PAYEE)
    unreached = Transfer.objects.filter(purpose_id=made["id"])
    for number, wait in enumerate(WAITS, start=1):
        unreached.update(blocked_times=0)  # the script lets only the first attempt meet an unreachable chain
        sweep_due()
        assert (steps(made)[-1], row(made).attempts) == ("retry_scheduled", number)
        advance(api, wait - 1)
        sweep_due()
        assert row(made).attempts == number
        advance(api, 1)
    unreached.update(blocked_times=0)
    sweep_due()
    seen = shown(api, made)
    assert (seen["status"], seen["failure_reason"], seen["attempts"]) == ("failed", "chain_unavailable", 7)
    [transfer] = Transfer.objects.all()
    assert (transfer.status, transfer.failure) == ("failed", "withdrawn")
    advance(api, 86_400)
    assert sweep_due() == 0
    assert sent(made) == []


def test_what_landed_and_moved_nothing_is_sent_anew(world: World, api: ApiClient) -> None:
    intent = settled(world, api, metadata={"simulate": "refund_unknown"})
    made = refund(api, intent, destination=PAYEE)
    work(world, 1)
    sent(made)[0].__class__.objects.filter(tag=f"refund:{made['id']}").update(behaviour="fail_execution")
    advance(api, 600)
    work(world, 2)
    seen = shown(api, made)
    assert (public(made)["status"], seen["failure_reason"]) == ("retry_scheduled", "chain_rejected")
    PaymentIntent.objects.filter(pk=intent["id"]).update(metadata={})
    advance(api, 30)
    work(world)
    assert (shown(api, made)["status"], shown(api, made)["attempts"]) == ("paid", 2)
    assert [transfer.round for transfer in Transfer.objects.order_by("round")] == [1, 2]
