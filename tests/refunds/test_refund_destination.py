"""POST /refunds/{id}/destination: a refund that waits is told where to go, once."""

from typing import Any

import pytest

from merchants.models import Merchant
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.factories.payments import BOBS_EVM
from tests.factories.refunds import paid_intent
from tests.factories.rows import all_rows
from tests.payments.world import World
from tests.refunds.stories import PAYEE, public, refund, row, settled, shown, steps, told, work
from tests.refunds.test_create_refund import BAD_ON_BASE


def send_to(api: ApiClient, made: dict[str, Any], destination: object = PAYEE, **headers: str) -> Reply:
    """Ask for it."""
    return api.post(f"/refunds/{made['id']}/destination", {"destination": destination}, **headers)


@pytest.mark.spec("Contract 3.6; Contract 21.12")
@pytest.mark.spec("States: refund")
def test_a_waiting_refund_goes_on(world: World, api: ApiClient) -> None:
    made = refund(api, settled(world, api))
    world.wait(3600)
    work(world, 2)
    assert (public(made)["status"], public(made)["failure_reason"]) == ("pending", "missing_destination")
    reply = send_to(api, made, PAYEE.lower())
    assert reply.status == 200
    assert reply.body == made | {
        "destination": PAYEE,
        "failure_reason": None,
        "suggested_destination": None,
        "payers": None,
        "updated_at": reply.body["updated_at"],
    }
    assert (steps(made), told(made)) == (["waiting", "queued"], ["created", "missing_destination"])
    line = row(made).history.get(trigger="address")
    assert (line.actor.partition(":")[0], line.request_id) == ("key", reply.headers["Request-Id"])
    work(world)
    assert shown(api, made)["status"] == "paid"
    assert told(made) == ["created", "missing_destination", "processing", "paid"]
    assert public(made)["destination_tail"] == "…169EE7"


@pytest.mark.spec("Contract 21.12")
@pytest.mark.spec("Errors: 409 and 422 of refunds and payouts")
@pytest.mark.parametrize("step", ["queued", "processing", "retry_scheduled", "paid", "failed", "cancelled"])
def test_a_refund_that_does_not_wait(step: str, world: World, api: ApiClient) -> None:
    scenario = {"retry_scheduled": "refund_retry", "failed": "refund_fail", "processing": "refund_unknown"}
    intent = settled(world, api, metadata={"simulate": scenario.get(step, "settle")})
    made = refund(api, intent, destination=PAYEE)
    if step == "cancelled":
        assert api.post(f"/refunds/{made['id']}/cancel").status == 200
    elif step != "queued":
        work(world, 3)
    assert steps(made)[-1] == step
    before = all_rows()
    reply = send_to(api, made, BOBS_EVM)
    assert_refused(reply, 409, "refund_destination_not_needed")
    assert reply.body["details"] == {"status": {"paid": "succeeded", "queued": "pending"}.get(step, step)}
    assert all_rows() == before


@pytest.mark.parametrize(("destination", "why"), BAD_ON_BASE)
def test_a_destination_that_cannot_receive(destination: str, why: str, merchant: Merchant, api: ApiClient) -> None:
    made = refund(api, {"id": str(paid_intent(merchant, mode="test").pk)})
    before = all_rows()
    reply = send_to(api, made, destination)
    assert_refused(reply, 400, "invalid_request")
    assert reply.body["details"]["reason"] == why
    assert all_rows() == before


@pytest.mark.parametrize(
    ("body", "field", "why"),
    [
        ({}, "destination", "required"),
        ({"destination": None}, "destination", "type"),
        ({"destination": ["x"]}, "destination", "type"),
        ({"destination": ""}, "destination", "format"),
        ({"destination": "x" * 129}, "destination", "too_long"),
        ({"destination": PAYEE, "amount_usd": 1}, "amount_usd", "unknown_field"),
    ],
)
def test_a_body_that_is_refused(body: dict[str, Any], field: str, why: str, merchant: Merchant, api: ApiClient) -> None:
    made = refund(api, {"id": str(paid_intent(merchant, mode="test").pk)})
    before = all_rows()
    reply = api.post(f"/refunds/{made['id']}/destination", body)
    assert_refused(reply, 400, "invalid_request")
    assert [(one["field"], one["code"]) for one in reply.body["details"]["fields"]] == [(field, why)]
    assert all_rows() == before


def test_a_key_repeats_the_answer(merchant: Merchant, api: ApiClient) -> None:
    made = refund(api, {"id": str(paid_intent(merchant, mode="test").pk)})
    first = send_to(api, made, Idempotency_Key="k")
    assert send_to(api, made, Idempotency_Key="k").raw == first.raw
    assert_refused(send_to(api, made, BOBS_EVM, Idempotency_Key="k"), 409, "idempotency_key_reused")
    assert row(made).destination == PAYEE


@pytest.mark.spec("Errors: 404")
def test_others_refunds(merchant: Merchant, api: ApiClient, other_api: ApiClient, live_api: ApiClient) -> None:
    made = refund(api, {"id": str(paid_intent(merchant, mode="test").pk)})
    before = all_rows()
    for stranger in (other_api, live_api):
        assert_refused(send_to(stranger, made), 404, "not_found")
    assert all_rows() == before
