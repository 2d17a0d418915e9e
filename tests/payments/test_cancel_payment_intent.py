"""POST /payment-intents/{id}/cancel: from which statuses, and what it leaves behind."""

import pytest

from payments.models import IntentTransition
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.payer import Payer
from tests.payments.statuses import STORIES, intent_in
from tests.payments.world import World, advance, events, history, read

CANCELLABLE = ["created", "requires_payment", "quoted", "awaiting_signature"]


@pytest.mark.spec("Contract 2.8; POST cancel: 200 PaymentIntent (cancelled); POST cancel: no body")
@pytest.mark.parametrize("status", CANCELLABLE)
def test_cancelling(world: World, api: ApiClient, status: str) -> None:
    intent = intent_in(world, api, status)
    told = events(intent)
    world.wait(1)
    body = {"created": None, "quoted": {"reason": "x"}}.get(status, {})
    reply = api.post(f"/payment-intents/{intent['id']}/cancel", body)
    assert reply.status == 200
    assert reply.body == intent | {"status": "cancelled", "cancelled_at": "2026-05-04T12:00:01.000Z"}
    assert read(api, intent) == reply.body
    assert history(intent)[-2:] == [status, "cancelled"] if status != "created" else ["created", "cancelled"]
    assert events(intent) == [*told, "cancelled"]
    last = IntentTransition.objects.get(subject_id=intent["id"], trigger="cancel")
    assert (last.actor[:4], last.request_id) == ("key:", reply.headers["Request-Id"])


@pytest.mark.spec("Contract 2.8; POST cancel: 409 when the current status does not allow cancelling")
@pytest.mark.parametrize("status", [status for status in STORIES if status not in CANCELLABLE])
def test_statuses_that_cannot_be_cancelled(world: World, api: ApiClient, status: str) -> None:
    """Among them ``cancelled`` itself: a second cancel is a mistake that a merchant should see."""
    intent = intent_in(world, api, status)
    before = all_rows()
    reply = api.post(f"/payment-intents/{intent['id']}/cancel")
    assert (reply.status, reply.body["code"]) == (409, "intent_not_cancellable")
    assert reply.body["details"] == {"status": status, "cancellable_from": CANCELLABLE}
    assert all_rows() == before


@pytest.mark.spec("Rulings C1.3; POST cancel: money received")
def test_an_intent_with_money_is_not_cancelled_even_while_quoted(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "partially_filled")
    Payer.of(intent).quote(world)
    assert read(api, intent)["status"] == "quoted"
    before = all_rows()
    reply = api.post(f"/payment-intents/{intent['id']}/cancel")
    assert (reply.status, reply.body["code"]) == (409, "intent_not_cancellable")
    assert reply.body["details"]["status"] == "quoted"
    assert all_rows() == before


def test_a_cancelled_intent_takes_no_payment_and_does_not_expire(world: World, api: ApiClient) -> None:
    intent = intent_in(world, api, "awaiting_signature")
    payer = Payer.of(intent)
    assert api.post(f"/payment-intents/{intent['id']}/cancel").status == 200
    before = all_rows()
    token = {"chain": "base", "token_address": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}
    for path, body in (("wallet", {"family": "evm", "address": payer.address}), ("quote", token)):
        reply = payer.send("POST", f"/{path}", body)
        assert (reply.status, reply.body["code"]) == (409, "intent_not_payable")
        assert reply.body["details"] == {"status": "cancelled"}
    assert all_rows() == before
    assert payer.state()["attempt"]["transactions"] == []
    advance(api, 86_400)
    world.run(2)
    assert (read(api, intent)["status"], events(intent)[-1]) == ("cancelled", "cancelled")
