"""POST /refunds/{id}/cancel until something is signed, /destination until one is known; workers that come too late."""

from typing import Any

import pytest

from chains.models import SimulatedTransaction
from chains.transfers import advance_transfer
from merchants.models import Merchant
from refunds.models import RefundTransition
from refunds.services.advance import SWEEP, advance_refund, sweep_due
from refunds.services.dispatch import order_transfer
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.payments import BOBS_EVM
from tests.factories.refunds import USDC_ON_BASE, paid_intent
from tests.factories.rows import all_rows
from tests.payments.world import World, advance
from tests.refunds.stories import PAYEE, public, refund, row, settled, shown, steps, told, work


def cancel(api: ApiClient, made: dict[str, Any], body: object = None, **headers: str) -> Reply:
    return api.post(f"/refunds/{made['id']}/cancel", body, **headers)


def in_step(world: World, api: ApiClient, step: str) -> dict[str, Any]:
    scenario = {"retry_scheduled": "refund_retry", "failed": "refund_fail", "processing": "refund_unknown"}
    intent = settled(world, api, metadata={"simulate": scenario.get(step, "settle")})
    made = refund(api, intent, **({} if step == "waiting" else {"destination": PAYEE}))
    if step == "cancelled":
        assert cancel(api, made).status == 200
    if step not in {"waiting", "queued", "cancelled"}:
        work(world, 3)
    assert steps(made)[-1] == step
    return made


@pytest.mark.spec("Contract 3.7; Contract 21.12; States: refund")
@pytest.mark.parametrize("step", ["waiting", "queued", "retry_scheduled"])
def test_before_anything_is_signed(step: str, world: World, api: ApiClient) -> None:
    made = in_step(world, api, step)
    events = told(made)
    world.wait(1)
    reply = cancel(api, made)
    assert reply.status == 200
    over = {"updated_at": "", "suggested_destination": None, "payers": None}
    ended = {"status": "cancelled", "failure_reason": None, "attempts": row(made).attempts}
    assert reply.body | over == made | ended | over
    assert (told(made), steps(made)[-1]) == ([*events, "cancelled"], "cancelled")
    assert (public(made)["status"], public(made)["terminal"]) == ("cancelled", True)
    last = RefundTransition.objects.get(subject_id=made["id"], trigger="cancel")
    assert (last.actor.partition(":")[0], last.request_id) == ("key", reply.headers["Request-Id"])
    assert row(made).next_attempt_at is None
    advance(api, 86_400)
    work(world)
    assert (steps(made)[-1], SimulatedTransaction.objects.filter(tag__startswith="refund").count()) == ("cancelled", 0)
    assert refund(api, {"id": made["payment_intent_id"]})["amount_usd"] == 25


@pytest.mark.spec("Contract 3.7; Contract 21.12; Errors: 409 and 422 of refunds and payouts")
@pytest.mark.parametrize("step", ["queued", "processing", "retry_scheduled", "paid", "failed", "cancelled"])
def test_what_does_not_wait_takes_no_address_and_later_no_cancel(step: str, world: World, api: ApiClient) -> None:
    made = in_step(world, api, step)
    before = all_rows()
    shown_as = {"status": {"paid": "succeeded", "queued": "pending"}.get(step, step)}
    reply = send_to(api, made, BOBS_EVM)
    assert_refused(reply, 409, "refund_destination_not_needed")
    assert reply.body["details"] == shown_as
    if step not in {"queued", "retry_scheduled"}:
        reply = cancel(api, made)
        assert_refused(reply, 409, "refund_not_cancellable")
        own = step if step in {"paid", "failed", "cancelled"} else "pending"
        assert reply.body["details"] == {"status": own}
    assert all_rows() == before


def test_ordered_and_not_signed(world: World, api: ApiClient) -> None:
    """As while a merchant's own wallet is awaited: cancelling takes the order back, and a late worker sends nothing."""
    made = in_step(world, api, "queued")
    transfer = order_transfer(row(made).intent_id, row(made).pk)
    assert transfer is not None
    assert (steps(made)[-1], transfer.status) == ("processing", "new")
    assert cancel(api, made).status == 200
    assert advance_transfer(transfer.pk).status == "failed"
    advance_refund(row(made).pk)
    advance(api, 86_400)
    work(world)
    assert (steps(made)[-1], told(made)) == ("cancelled", ["created", "processing", "cancelled"])


def test_signed_by_a_worker_that_was_thought_to_have_failed(world: World, api: ApiClient) -> None:
    """The refund waits for its next attempt, but its transfer went further: then it can not be taken back."""
    made = in_step(world, api, "retry_scheduled")
    transfer_id = row(made).transfer_id
    assert transfer_id is not None
    assert advance_transfer(transfer_id).status == "broadcast"
    before = all_rows()
    reply = cancel(api, made)
    assert_refused(reply, 409, "refund_not_cancellable")
    assert reply.body["details"] == {"status": "pending"}
    assert reply.body["error"].startswith("Something was signed for this refund")
    assert all_rows() == before
    advance(api, 30)
    work(world)
    assert steps(made)[-1] == "paid"


def test_a_key_repeats_the_answer_and_no_body_is_needed(world: World, api: ApiClient) -> None:
    made = in_step(world, api, "waiting")
    before = all_rows()
    assert cancel(api, made, {"reason": "x"}).status == 400
    assert all_rows() == before
    first = cancel(api, made, Idempotency_Key="k")
    again = cancel(api, made, Idempotency_Key="k")
    assert (again.status, again.raw, again.headers["Idempotent-Replayed"]) == (200, first.raw, "true")
    assert_refused(cancel(api, made), 409, "refund_not_cancellable")
    assert cancel(api, in_step(world, api, "waiting"), {}).status == 200


@pytest.mark.spec("States: refund")
def test_an_overtaken_worker_sends_nothing(world: World, api: ApiClient) -> None:
    """Another one has planned the refund's next attempt meanwhile: nothing is changed."""
    made = refund(api, settled(world, api, metadata={"simulate": "refund_retry"}), destination=PAYEE)
    [(overtaken, _)] = SWEEP.claim()
    world.wait(45)
    assert sweep_due() == 1
    assert (steps(made)[-1], row(made).attempts) == ("retry_scheduled", 1)
    before = all_rows()
    assert order_transfer(row(made).intent_id, overtaken) is None
    advance_refund(overtaken)
    assert all_rows() == before
    work(world, 60)
    assert (steps(made)[-1], row(made).attempts) == ("paid", 2)


def send_to(api: ApiClient, made: dict[str, Any], destination: object = PAYEE, **headers: str) -> Reply:
    return api.post(f"/refunds/{made['id']}/destination", {"destination": destination}, **headers)


@pytest.mark.spec("Contract 3.6; Contract 21.12; States: refund")
def test_a_waiting_refund_goes_on(world: World, api: ApiClient) -> None:
    made = refund(api, settled(world, api))
    world.wait(3600)
    work(world, 2)
    assert (public(made)["status"], public(made)["failure_reason"]) == ("pending", "missing_destination")
    reply = send_to(api, made, PAYEE.lower())
    assert reply.status == 200
    told_where = {"destination": PAYEE, "updated_at": reply.body["updated_at"]}
    assert reply.body == made | dict.fromkeys(("failure_reason", "suggested_destination", "payers")) | told_where
    assert (steps(made), told(made)) == (["waiting", "queued"], ["created", "missing_destination"])
    line = row(made).history.get(trigger="address")
    assert (line.actor.partition(":")[0], line.request_id) == ("key", reply.headers["Request-Id"])
    work(world)
    assert shown(api, made)["status"] == "paid"
    assert told(made) == ["created", "missing_destination", "processing", "paid"]
    assert public(made)["destination_tail"] == "…169EE7"


def test_what_cannot_be_is_refused(merchant: Merchant, api: ApiClient) -> None:
    """A destination that cannot receive, and another body; then a key repeats the answer."""
    made = refund(api, {"id": str(paid_intent(merchant, mode="test").pk)})
    before = all_rows()
    reply = send_to(api, made, USDC_ON_BASE)
    assert_refused(reply, 400, "invalid_request")
    assert (reply.body["details"]["reason"], all_rows()) == ("token", before)
    for body, field, why in BODIES:
        reply = api.post(f"/refunds/{made['id']}/destination", body)
        assert_refused(reply, 400, "invalid_request")
        assert [(one["field"], one["code"]) for one in reply.body["details"]["fields"]] == [(field, why)]
        assert all_rows() == before
    first = send_to(api, made, Idempotency_Key="k")
    assert send_to(api, made, Idempotency_Key="k").raw == first.raw
    assert_refused(send_to(api, made, BOBS_EVM, Idempotency_Key="k"), 409, "idempotency_key_reused")
    assert row(made).destination == PAYEE


BODIES: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({}, "destination", "required"),
    ({"destination": None}, "destination", "type"),
    ({"destination": ["x"]}, "destination", "type"),
    ({"destination": ""}, "destination", "format"),
    ({"destination": "x" * 129}, "destination", "too_long"),
    ({"destination": PAYEE, "amount_usd": 1}, "amount_usd", "unknown_field"),
)
