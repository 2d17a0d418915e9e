"""POST /refunds/{id}/cancel: while nothing was signed, and never afterwards."""

from typing import Any

import pytest

from chains.transfers import advance_transfer
from refunds.models import RefundTransition
from refunds.services.advance import advance_refund
from refunds.services.dispatch import order_transfer
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.rows import all_rows
from tests.payments.world import World, advance
from tests.refunds.stories import PAYEE, public, refund, row, settled, steps, told, work


def cancel(api: ApiClient, made: dict[str, Any], body: object = None, **headers: str) -> Reply:
    """Ask for it."""
    return api.post(f"/refunds/{made['id']}/cancel", body, **headers)


def in_step(world: World, api: ApiClient, step: str) -> dict[str, Any]:
    """A refund in this inner status."""
    scenario = {"retry_scheduled": "refund_retry", "failed": "refund_fail", "processing": "refund_unknown"}
    intent = settled(world, api, metadata={"simulate": scenario.get(step, "settle")})
    made = refund(api, intent, **({} if step == "waiting" else {"destination": PAYEE}))
    if step == "cancelled":
        assert cancel(api, made).status == 200
    if step not in {"waiting", "queued", "cancelled"}:
        work(world, 3)
    assert steps(made)[-1] == step
    return made


@pytest.mark.spec("Contract 3.7; Contract 21.12")
@pytest.mark.spec("States: refund")
@pytest.mark.parametrize("step", ["waiting", "queued", "retry_scheduled"])
def test_before_anything_is_signed(step: str, world: World, api: ApiClient) -> None:
    made = in_step(world, api, step)
    events = told(made)
    world.wait(1)
    reply = cancel(api, made)
    assert reply.status == 200
    assert reply.body | {"updated_at": "", "suggested_destination": None, "payers": None} == made | {
        "status": "cancelled",
        "failure_reason": None,
        "attempts": row(made).attempts,
        "updated_at": "",
        "suggested_destination": None,
        "payers": None,
    }
    assert (told(made), steps(made)[-1]) == ([*events, "cancelled"], "cancelled")
    assert (public(made)["status"], public(made)["terminal"]) == ("cancelled", True)
    last = RefundTransition.objects.get(subject_id=made["id"], trigger="cancel")
    assert (last.actor.partition(":")[0], last.request_id) == ("key", reply.headers["Request-Id"])
    assert row(made).next_attempt_at is None


@pytest.mark.spec("Contract 3.7")
@pytest.mark.spec("Errors: 409 and 422 of refunds and payouts")
@pytest.mark.parametrize("step", ["processing", "paid", "failed", "cancelled"])
def test_what_was_signed_or_is_over(step: str, world: World, api: ApiClient) -> None:
    made = in_step(world, api, step)
    before = all_rows()
    reply = cancel(api, made)
    assert_refused(reply, 409, "refund_not_cancellable")
    assert reply.body["details"] == {"status": {"paid": "succeeded"}.get(step, step)}
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
    assert_refused(cancel(api, made), 409, "refund_not_cancellable")
    assert all_rows() == before
    advance(api, 30)
    work(world)
    assert steps(made)[-1] == "paid"


def test_a_key_repeats_the_answer(world: World, api: ApiClient) -> None:
    made = in_step(world, api, "waiting")
    first = cancel(api, made, Idempotency_Key="k")
    again = cancel(api, made, Idempotency_Key="k")
    assert (again.status, again.raw, again.headers["Idempotent-Replayed"]) == (200, first.raw, "true")
    assert_refused(cancel(api, made), 409, "refund_not_cancellable")


@pytest.mark.parametrize(("body", "status"), [(None, 200), ({}, 200), ({"reason": "x"}, 400)])
def test_no_body_is_needed(body: object, status: int, world: World, api: ApiClient) -> None:
    assert cancel(api, in_step(world, api, "waiting"), body).status == status


@pytest.mark.spec("Errors: 404")
def test_others_refunds(world: World, api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> None:
    made = in_step(world, api, "waiting")
    before = all_rows()
    for stranger in (other_api, live_api):
        assert_refused(cancel(stranger, made), 404, "not_found")
    assert all_rows() == before
