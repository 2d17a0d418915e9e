"""Several senders of one Idempotency-Key: one resource, one answer, byte for byte."""

import uuid
from collections import Counter
from functools import partial

import pytest

from merchants.models import IdempotencyRecord, Merchant
from payments.models import PaymentAttempt, PaymentIntent
from tests.conftest import Reply
from tests.races.lineup import Ending, queued
from tests.races.shop import Shop

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

SENDERS = 8


def create(shop: Shop, key: str, amount: int = 25) -> Reply:
    """Create an intent under a key, and write the key where the checker finds it."""
    return shop.api.post("/payment-intents", {"amount": amount, "reference": key}, Idempotency_Key=key)


def answers(endings: list[Ending]) -> list[Reply]:
    """The HTTP answers."""
    return [ending.result for ending in endings]


@pytest.mark.spec("Contract 17.4")
@pytest.mark.spec("Idempotency on create: same key and body returns the original response")
def test_eight_senders_of_one_key_make_one_intent(shop: Shop, rounds: range) -> None:
    keys = [uuid.uuid4().hex for _ in rounds]
    for key in keys:
        # Why the merchant: every insert of an intent takes its row, so all senders wait inside their transactions.
        merchants = Merchant.objects.filter(pk=shop.principal.merchant_id)
        replies = answers(queued(merchants, [partial(create, shop, key)] * SENDERS))
        assert {reply.status for reply in replies} == {201}
        assert len({reply.raw for reply in replies}) == 1
        assert Counter(reply.headers.get("Idempotent-Replayed") for reply in replies) == {None: 1, "true": 7}
        assert len({reply.headers["Request-Id"] for reply in replies}) == SENDERS
    assert sorted(PaymentIntent.objects.values_list("reference", flat=True)) == sorted(keys)
    assert IdempotencyRecord.objects.count() == len(keys)
    shop.check()


@pytest.mark.spec("Errors: idempotency key reused with a different body")
def test_one_key_with_two_bodies_makes_one_intent(shop: Shop, rounds: range) -> None:
    for _ in rounds:
        key = uuid.uuid4().hex
        merchants = Merchant.objects.filter(pk=shop.principal.merchant_id)
        acts = [partial(create, shop, key, amount) for amount in (25, 30) * (SENDERS // 2)]
        replies = answers(queued(merchants, acts))
        kept = PaymentIntent.objects.get(reference=key)
        assert [reply.status for reply in replies if reply.status != 409] == [201] * (SENDERS // 2)
        assert {reply.body["amount"] for reply in replies if reply.status == 201} == {f"{kept.amount:.2f}"}
        refused = {reply.body["code"] for reply in replies if reply.status == 409}
        assert refused == {"idempotency_key_reused"}
    shop.check()


@pytest.mark.spec("Authentication: idempotency keys are scoped per merchant")
def test_eight_senders_of_one_key_pay_once(shop: Shop, rounds: range) -> None:
    """An action meets the state that the first sender changed; the others get the first one's answer all the same."""
    for _ in rounds:
        intent_id = shop.create()
        path = f"/test-helpers/payment-intents/{intent_id}/pay"
        pay = partial(shop.api.post, path, {}, Idempotency_Key=uuid.uuid4().hex)
        replies = answers(queued(shop.row(intent_id), [pay] * SENDERS))
        assert {reply.status for reply in replies} == {200}
        assert len({reply.raw for reply in replies}) == 1
        assert Counter(reply.headers.get("Idempotent-Replayed") for reply in replies) == {None: 1, "true": 7}
    assert PaymentAttempt.objects.count() == len(rounds)
    shop.check()
