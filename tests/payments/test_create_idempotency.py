"""Idempotency-Key on create: the first answer byte for byte, for 24 hours, and nothing twice."""

from typing import Any

import pytest

from merchants.models import IdempotencyRecord
from payments.models import PaymentIntent
from tests.conftest import ApiClient
from tests.factories.rows import all_rows
from tests.payments.world import World, advance, create
from webhooks.models import Event

BODY = {"amount": 25, "reference": "order 17", "metadata": {"b": 1, "a": [2]}}
DAY = 86_400


@pytest.mark.spec("Idempotency on create: same key and same body return the original response")
@pytest.mark.spec("Idempotency on create: the original response")
def test_a_repeat_gets_the_same_bytes(world: World, api: ApiClient) -> None:
    """Whatever its white space and order of keys, and whatever became of the intent."""
    first = api.post("/payment-intents", BODY, Idempotency_Key="order-17")
    assert first.status == 201
    assert "Idempotent-Replayed" not in first.headers
    assert b"order 17" not in bytes(IdempotencyRecord.objects.get().answer)  # it is stored encrypted
    before = all_rows()
    world.wait(3600)
    other_form = b'{ "metadata": {"a":[2],\n "b":1}, "reference": "order 17", "amount": 25 }'
    for body in (BODY, other_form):
        again = api.post("/payment-intents", body, Idempotency_Key="order-17")
        assert (again.status, again.raw, again.headers["Idempotent-Replayed"]) == (201, first.raw, "true")
        assert again.headers["Content-Type"] == "application/json"
        assert again.headers["Request-Id"] != first.headers["Request-Id"]
    assert all_rows() == before
    assert (PaymentIntent.objects.count(), Event.objects.count()) == (1, 1)
    assert api.post(f"/payment-intents/{first.body['id']}/cancel").status == 200
    assert api.post("/payment-intents", BODY, Idempotency_Key="order-17").raw == first.raw


@pytest.mark.spec("Errors: 409 create intent, idempotency key reused with a different body")
def test_another_body_or_path_is_refused(api: ApiClient) -> None:
    intent = api.post("/payment-intents", BODY, Idempotency_Key="k").body
    cancel = f"/payment-intents/{intent['id']}/cancel"
    before = all_rows()
    changes: list[dict[str, Any]] = [{"amount": 26}, {"reference": "order 18"}, {"metadata": {"b": 1, "a": [3]}}]
    bodies = [BODY | change for change in [*changes, {"metadata": {"b": True, "a": [2]}}]]
    for path, other in (*(("/payment-intents", body) for body in [*bodies, {"amount": 25}]), (cancel, None)):
        reply = api.post(path, other, Idempotency_Key="k")
        assert (reply.status, reply.body["code"], reply.body["details"]) == (409, "idempotency_key_reused", {})
    assert all_rows() == before
    first, again = (api.post(cancel, Idempotency_Key="c") for _ in range(2))
    assert (first.status, again.status, again.raw) == (200, 200, first.raw)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert api.post("/payment-intents", BODY, Idempotency_Key="c").body["code"] == "idempotency_key_reused"


@pytest.mark.spec("Authentication 5: idempotency keys are scoped per merchant")
def test_keys_of_others_do_not_meet(api: ApiClient, live_api: ApiClient, other_api: ApiClient) -> None:
    live = {"settlement_address": "0x52908400098527886E0F7030069857D2E4169EE7", "settlement_chain": "base"}
    replies = [
        api.post("/payment-intents", BODY, Idempotency_Key="k"),
        other_api.post("/payment-intents", BODY, Idempotency_Key="k"),
        live_api.post("/payment-intents", BODY | live, Idempotency_Key="k"),
    ]
    assert [reply.status for reply in replies] == [201, 201, 201]
    assert len({reply.body["id"] for reply in replies}) == 3


@pytest.mark.spec("Limits: idempotency replay window, 24 hours")
@pytest.mark.parametrize("by_test_clock", [False, True])
def test_after_a_day_it_is_a_new_request(
    world: World, api: ApiClient, other_api: ApiClient, by_test_clock: bool
) -> None:
    """By the test clock in the merchant's own test world alone."""
    first = api.post("/payment-intents", BODY, Idempotency_Key="k").body
    others = other_api.post("/payment-intents", BODY, Idempotency_Key="k").body
    for seconds, is_new in ((DAY - 1, False), (1, True)):
        if by_test_clock:
            advance(api, seconds)
        else:
            world.wait(seconds)
        body = {"amount": 26} if is_new else BODY
        second = api.post("/payment-intents", body, Idempotency_Key="k")
        assert (second.status, second.body["id"] != first["id"], second.body != first) == (201, is_new, is_new)
    assert api.post("/payment-intents", {"amount": 26}, Idempotency_Key="k").body == second.body
    if by_test_clock:
        assert other_api.post("/payment-intents", BODY, Idempotency_Key="k").body == others


@pytest.mark.spec("Limits: Idempotency-Key length, at most 255 characters")
def test_keys_that_are_taken_and_refused(api: ApiClient) -> None:
    for key in ("a", "a" * 255, "order 17 / ~!", '{"json":"?"}'):
        first = api.post("/payment-intents", BODY, Idempotency_Key=key)
        assert first.status == 201
        assert api.post("/payment-intents", BODY, Idempotency_Key=key).raw == first.raw
    before = all_rows()
    for key in ("", "a" * 256, "naïve", "tab\there", "line\x00", "\x7f", "é" * 10):
        reply = api.post("/payment-intents", BODY, Idempotency_Key=key)
        assert (reply.status, reply.body["code"], reply.body["details"]) == (400, "idempotency_key_invalid", {}), key
    assert all_rows() == before


@pytest.mark.spec("Idempotency: failures are not stored")
def test_a_failure_or_a_conflict_does_not_occupy_the_key(api: ApiClient, live_api: ApiClient) -> None:
    path = f"/payment-intents/{create(api)['id']}/cancel"
    assert api.post(path).status == 200
    assert api.post(path, Idempotency_Key="k").status == 409
    assert api.post("/payment-intents", {"amount": 0}, Idempotency_Key="k").status == 400
    assert IdempotencyRecord.objects.count() == 0
    assert api.post("/payment-intents", BODY, Idempotency_Key="k").status == 201
    assert live_api.post("/payment-intents", BODY, Idempotency_Key="k").status == 400
    assert IdempotencyRecord.objects.count() == 1
