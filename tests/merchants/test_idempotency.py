"""Idempotency-Key on every POST: one effect, one answer, byte for byte, for 24 hours."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError
from django.test import RequestFactory
from rest_framework.request import Request

from core.clock import now
from core.parsers import ExactJSONParser
from core.secrets import decrypt
from core.transitions import Draft
from merchants.idempotency import Answer, Creation, act_once, create_once
from merchants.models import IdempotencyRecord, Merchant
from merchants.principal import Principal
from merchants.services import forget_expired_answers
from tests.conftest import ApiClient, Reply
from tests.core.error_form import assert_refused
from tests.each import faults
from tests.factories.refunds import paid_intent
from tests.factories.rows import all_rows
from tests.payments.world import World, advance, create
from tests.payouts import stories as payouts
from tests.refunds.stories import PAYEE, refund

INTENT = {"amount": 25, "reference": "order-1", "metadata": {"b": 1.50, "a": "x"}}
ENDPOINT = {"url": "https://shop.example/hooks", "events": ["payment_intent.settled"]}
DAY = 24 * 3600


def rotation(api: ApiClient) -> str:
    """The path that rotates a new endpoint's secret."""
    body = ENDPOINT | {"url": f"https://shop.example/{uuid.uuid4()}"}
    return f"/webhook-endpoints/{api.post('/webhook-endpoints', body).body['id']}/rotate-secret"


def assert_replayed(first: Reply, second: Reply) -> None:
    assert (second.status, second.raw) == (first.status, first.raw)
    assert "Idempotent-Replayed" not in first.headers
    assert second.headers["Idempotent-Replayed"] == "true"
    assert second.headers["Request-Id"] != first.headers["Request-Id"]


def assert_nothing_new(api: ApiClient, path: str, body: object, key: str) -> Reply:
    before = all_rows()
    reply = api.post(path, body, Idempotency_Key=key)
    assert all_rows() == before
    return reply


@pytest.mark.spec("Contract 17.1; Contract 17.2; Contract 21.2")
@pytest.mark.spec("Idempotency on create: same key and body returns the original response")
def test_a_repeat_gets_the_first_answer_and_changes_nothing(api: ApiClient) -> None:
    """Secrets are in it again; white space and the order of names do not matter."""
    cancel = f"/payment-intents/{create(api)['id']}/cancel"
    for path, body, status in (
        ("/payment-intents", INTENT, 201),
        ("/webhook-endpoints", ENDPOINT, 201),
        (cancel, None, 200),
        (rotation(api), None, 200),
    ):
        first = api.post(path, body, Idempotency_Key=path)
        assert first.status == status
        assert_replayed(first, assert_nothing_new(api, path, body, path))
        assert "webhook" not in path or first.body["secret"].startswith("whsec_")
    assert_refused(api.post(cancel, Idempotency_Key="k"), 409, "intent_not_cancellable")
    first = api.post("/payment-intents", b'{"amount":25,"metadata":{"a":1,"b":2}}', Idempotency_Key="k")
    again = api.post("/payment-intents", b'{ "metadata" : {"b":2, "a":1},\n "amount":25 }', Idempotency_Key="k")
    assert_replayed(first, again)


@pytest.mark.spec("Contract 17.3; Contract 21.1; Contract 5.16; Errors: 409 idempotency")
@pytest.mark.spec("Idempotency on create: same key with a different body returns 409")
def test_another_body_is_refused(api: ApiClient) -> None:
    """A number is not the object that describes it; and another path is refused, too."""
    intent = create(api)
    api.post("/payment-intents", b'{"amount": 25, "metadata": {"a": 1.5}}', Idempotency_Key="k")
    for other in (
        b'{"amount": 26, "metadata": {"a": 1.5}}',
        b'{"amount": 25, "metadata": {"a": 1.5}, "currency": "USD"}',
        b'{"amount": 25, "metadata": {"a": 1.5, "amount": 25}}',
        b'{"amount": 25, "metadata": {"a": {"number": "1.5"}}}',
        b'{"amount": 25}',
    ):
        assert_refused(assert_nothing_new(api, "/payment-intents", other, "k"), 409, "idempotency_key_reused")
    reply = assert_nothing_new(api, f"/payment-intents/{intent['id']}/cancel", None, "k")
    assert_refused(reply, 409, "idempotency_key_reused")


@pytest.mark.spec("Contract 17.1")
@pytest.mark.spec("Authentication 5: idempotency keys are scoped per merchant")
def test_callers_never_meet_in_a_key(api: ApiClient, live_api: ApiClient, other_api: ApiClient) -> None:
    body = {"amount": 25, "settlement_chain": "base", "settlement_token": "USDC"}
    body |= {"settlement_address": "0x7e57000000000000000000000000000000000001"}
    replies = [caller.post("/payment-intents", body, Idempotency_Key="k") for caller in (api, live_api, other_api)]
    assert [reply.status for reply in replies] == [201, 201, 201]
    assert len({reply.body["id"] for reply in replies}) == 3
    assert [reply.body["mode"] for reply in replies] == ["test", "live", "test"]


@pytest.mark.spec("Contract 12.4; Contract 17.6")
@pytest.mark.spec("Limits: idempotency replay window 24 hours")
def test_a_key_is_free_again_after_24_hours(world: World, api: ApiClient) -> None:
    rotate = rotation(api)
    first, rotated = (
        api.post(path, body, Idempotency_Key=path) for path, body in (("/payment-intents", INTENT), (rotate, None))
    )
    world.wait(DAY - 0.001)
    assert_replayed(first, api.post("/payment-intents", INTENT, Idempotency_Key="/payment-intents"))
    assert_replayed(rotated, api.post(rotate, Idempotency_Key=rotate))
    world.wait(0.001)
    second = api.post("/payment-intents", {"amount": 26}, Idempotency_Key="/payment-intents")
    assert (second.status, second.body["id"] != first.body["id"]) == (201, True)
    assert_replayed(second, api.post("/payment-intents", {"amount": 26}, Idempotency_Key="/payment-intents"))
    again = api.post(rotate, Idempotency_Key=rotate)
    assert (again.status, "Idempotent-Replayed" in again.headers) == (200, False)
    assert again.body["secret"] != rotated.body["secret"]


def test_the_test_clock_moves_one_merchants_keys(world: World, api: ApiClient, other_api: ApiClient) -> None:
    first = api.post("/payment-intents", INTENT, Idempotency_Key="k")
    others = other_api.post("/payment-intents", INTENT, Idempotency_Key="k")
    advance(api, DAY)
    assert api.post("/payment-intents", INTENT, Idempotency_Key="k").body["id"] != first.body["id"]
    assert_replayed(others, other_api.post("/payment-intents", INTENT, Idempotency_Key="k"))


def test_the_purge_takes_what_is_over_and_nothing_else(world: World, api: ApiClient) -> None:
    for number in range(5):
        api.post("/payment-intents", INTENT, Idempotency_Key=f"old-{number}")
    world.wait(1)
    api.post("/payment-intents", INTENT, Idempotency_Key="new")
    world.wait(DAY - 1)
    assert forget_expired_answers(at_once=2) == 5
    assert [record.key for record in IdempotencyRecord.objects.all()] == ["new"]
    assert forget_expired_answers() == 0


@pytest.mark.spec("Contract 21.7")
@pytest.mark.spec("Limits: Idempotency-Key length at most 255")
def test_usable_and_unusable_keys(api: ApiClient) -> None:
    for key in ("k", "k" * 255, " ", "~", "a b", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}"):
        first = api.post("/payment-intents", INTENT, Idempotency_Key=key)
        assert first.status == 201
        assert_replayed(first, api.post("/payment-intents", INTENT, Idempotency_Key=key))
    cancel = f"/payment-intents/{create(api)['id']}/cancel"
    for path, body in (("/payment-intents", INTENT), (cancel, {}), ("/webhook-endpoints", ENDPOINT)):
        for key in ("", "k" * 256, "a\x00b", "a\tb", "a\x7fb", "ké", "\xa0", "k" * 10_000):
            assert_refused(assert_nothing_new(api, path, body, key), 400, "idempotency_key_invalid")


@pytest.mark.spec("Rulings B13.1; Contract 17.6")
def test_refusals_and_conflicts_are_not_remembered(api: ApiClient) -> None:
    intent = create(api)
    path = f"/payment-intents/{intent['id']}/cancel"
    api.post(path)
    assert_refused(assert_nothing_new(api, path, None, "k"), 409, "intent_not_cancellable")
    assert not IdempotencyRecord.objects.exists()
    assert_refused(api.post("/payment-intents", {"amount": 0}, Idempotency_Key="k"), 400, "invalid_request")
    assert_refused(ApiClient("sk_test_x").post("/payment-intents", INTENT, Idempotency_Key="k"), 401, "invalid_api_key")
    assert not IdempotencyRecord.objects.exists()
    reply = api.post("/payment-intents", INTENT, Idempotency_Key="k")
    assert (reply.status, "Idempotent-Replayed" in reply.headers) == (201, False)


@pytest.mark.spec("Contract 21.2")
def test_answers_are_sealed_at_rest(api: ApiClient) -> None:
    reply = api.post("/webhook-endpoints", ENDPOINT, Idempotency_Key="k")
    record = IdempotencyRecord.objects.get()
    assert (record.http_status, decrypt(record.answer)) == (201, reply.raw)
    stored = " ".join(str(value) for value in IdempotencyRecord.objects.values_list().get())
    assert reply.body["secret"] not in stored
    assert reply.body["id"] not in stored


def request(key: str) -> Request:
    plain = RequestFactory().post("/x", b"{}", content_type="application/json", headers={"Idempotency-Key": key})
    return Request(plain, parsers=[ExactJSONParser()])


def make_merchant() -> Answer:
    return Answer(http_status=200, body={"id": Merchant.objects.create(name="made").pk})


class DiedError(Exception):
    """Stands for the end of the process between the effect and its answer."""


def die(*_: Any) -> Answer:
    make_merchant()
    raise DiedError


def answer_with_nonsense(*_: Any) -> Answer:
    make_merchant()
    return Answer(http_status=200, body=object())


@pytest.mark.spec("Contract 17.5")
@pytest.mark.django_db
def test_an_effect_without_its_answer_never_happened() -> None:
    def create() -> Creation:
        draft = Draft(row=Merchant(name="made"), beside=[])
        return Creation(draft=draft, answer=Answer(http_status=201, body=object()))

    tries: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: act_once(request("k"), "m1:test", die), DiedError),
        (lambda: act_once(request("k"), "m1:test", answer_with_nonsense), TypeError),
        (lambda: create_once(request("k"), "m1:test", create), TypeError),
    ]
    for attempt, error in tries:
        with pytest.raises(error):
            attempt()
        assert not Merchant.objects.exists()
        assert not IdempotencyRecord.objects.exists()
    assert act_once(request("k"), "m1:test", make_merchant).status_code == 200


@pytest.mark.django_db
def test_scopes_do_not_meet() -> None:
    answers = [act_once(request("k"), scope, make_merchant) for scope in ("m1:test", "m1:live", "checkout:1")]
    assert len({answer.data for answer in answers}) == 3
    assert Merchant.objects.count() == 3


@pytest.mark.django_db
def test_without_a_key_nothing_is_remembered() -> None:
    plain = Request(RequestFactory().post("/x"))
    act_once(plain, "m1:test", make_merchant)
    made = Creation(draft=Draft(row=Merchant(name="made"), beside=[]), answer=Answer(http_status=201, body={}))
    create_once(plain, "m1:test", lambda: made)
    assert Merchant.objects.count() == 2
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.django_db
def test_another_broken_constraint_is_not_taken_for_a_used_key() -> None:
    def clash() -> Answer:
        IdempotencyRecord.objects.create(
            scope="s", key="k", fingerprint="", http_status=1, answer=b"", expires_at=now()
        )
        Merchant.objects.bulk_create([Merchant(pk=1, name="a"), Merchant(pk=1, name="b")])
        raise AssertionError

    with pytest.raises(IntegrityError):
        act_once(request("k"), "m1:test", clash)
    assert not IdempotencyRecord.objects.exists()


def refund_cancel(_world: World, api: ApiClient, principal: Principal) -> str:
    paid = paid_intent(Merchant.objects.get(pk=principal.merchant_id), mode="test")
    return f"/refunds/{refund(api, {'id': str(paid.pk)}, destination=PAYEE)['id']}/cancel"


def payout_replay(world: World, api: ApiClient, principal: Principal) -> str:
    intent = payouts.settled(world, api, metadata={"simulate": "payout_fail"})
    payout = payouts.asked(principal, intent, key=intent["id"])
    payouts.run(world, 0)
    assert payouts.shown(api, payout)["status"] == "failed"
    return f"/payouts/{payout.pk}/replay"


ACTIONS: dict[str, Callable[[World, ApiClient, Principal], str]] = {
    "cancel an intent": lambda world, api, principal: f"/payment-intents/{create(api)['id']}/cancel",
    "cancel a refund": refund_cancel,
    "replay a payout": payout_replay,
    "rotate a secret": lambda world, api, principal: rotation(api),
}
"""By name: the path of the action on a new resource."""


@pytest.mark.spec("Idempotency on create: same key with a different body returns 409")
def test_the_same_action_on_another_resource_is_refused(world: World, api: ApiClient, principal: Principal) -> None:
    """With no body, the path alone tells wishes apart: a key that forgot it would call a payable intent cancelled."""

    def check(action: str) -> None:
        first, second = (ACTIONS[action](world, api, principal) for _ in range(2))
        assert api.post(first, Idempotency_Key="k").status == 200
        assert_refused(assert_nothing_new(api, second, None, "k"), 409, "idempotency_key_reused")
        assert api.post(second, Idempotency_Key="k2").status == 200

    assert faults(check, ACTIONS) == {}
