"""The quick lookup of one row finds what a queryset finds."""

import uuid

import pytest

from core.lookups import find_one
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from tests.conftest import ApiClient


@pytest.fixture
def intent(api: ApiClient) -> PaymentIntent:
    """One with text, money, times and exact metadata in it."""
    body = {"amount": 25, "metadata": {"price": 1.5, "list": [1, None]}, "customer_email": "a@shop.example"}
    made = api.post("/payment-intents", body)
    assert made.status == 201
    return PaymentIntent.objects.get(pk=made.body["id"])


def test_every_column_is_read_alike(intent: PaymentIntent) -> None:
    found = find_one(PaymentIntent, id=intent.pk)
    assert found is not None
    for field in PaymentIntent._meta.concrete_fields:
        mine, theirs = getattr(found, field.attname), getattr(intent, field.attname)
        assert (mine, type(mine)) == (theirs, type(theirs)), field.attname


def test_the_row_can_be_saved(intent: PaymentIntent) -> None:
    found = find_one(PaymentIntent, id=intent.pk)
    assert found is not None
    found.reference = "A-1"
    found.save()
    assert PaymentIntent.objects.get().reference == "A-1"


def test_every_column_must_fit(intent: PaymentIntent, account: NewMerchant) -> None:
    assert find_one(PaymentIntent, id=intent.pk, merchant_id=account.merchant.pk, mode="test") is not None
    assert find_one(PaymentIntent, id=intent.pk, merchant_id=account.merchant.pk, mode="live") is None
    assert find_one(PaymentIntent, id=uuid.uuid4()) is None
