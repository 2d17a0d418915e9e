"""The quick lookup of one row finds what a queryset finds."""

import uuid

from core.lookups import find_one
from merchants.services import NewMerchant
from payments.models import PaymentIntent
from tests.conftest import ApiClient


def test_every_column_is_read_alike_and_must_fit(api: ApiClient, account: NewMerchant) -> None:
    """Of a row with text, money, times and exact metadata in it, which can be saved."""
    body = {"amount": 25, "metadata": {"price": 1.5, "list": [1, None]}, "customer_email": "a@shop.example"}
    intent = PaymentIntent.objects.get(pk=api.post("/payment-intents", body).body["id"])
    found = find_one(PaymentIntent, id=intent.pk, merchant_id=account.merchant.pk, mode="test")
    assert found is not None
    for field in PaymentIntent._meta.concrete_fields:
        mine, theirs = getattr(found, field.attname), getattr(intent, field.attname)
        assert (mine, type(mine)) == (theirs, type(theirs)), field.attname
    found.reference = "A-1"
    found.save()
    assert PaymentIntent.objects.get().reference == "A-1"
    assert find_one(PaymentIntent, id=intent.pk, merchant_id=account.merchant.pk, mode="live") is None
    assert find_one(PaymentIntent, id=uuid.uuid4()) is None
