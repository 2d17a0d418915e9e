"""Payments that a shop asks for, the settings, and the admin."""

from decimal import Decimal
from typing import Any

import pytest
from causeway_django import conf, payments
from causeway_django.models import Payment
from causeway_sdk import Causeway
from causeway_sdk.testing import FakeService
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from posted import INTENT, Poster, payment_event

pytestmark = pytest.mark.django_db
ANSWER = {
    **{"id": INTENT, "amount": "19.99", "currency": "USD", "mode": "test", "status": "created"},
    **{"checkout_url": "http://localhost:8000/checkout/x", "reference": "order-1"},
}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> FakeService:
    fake = FakeService().answer(ANSWER, 201)
    monkeypatch.setattr(conf, "_client", lambda key, address: Causeway(key, address, http_client=fake))
    return fake


def opened(amount: str = "19.99") -> Payment:
    return payments.open_payment(reference="order-1", amount=Decimal(amount), return_url="https://shop.example/1")


def test_an_order_has_one_payment_that_can_be_paid(service: FakeService) -> None:
    payment = opened()
    assert (payment.id, payment.status, payment.checkout_url) == (INTENT, "created", ANSWER["checkout_url"])
    assert opened() == payment
    [call] = service.calls
    assert (call.path, call.headers["Idempotency-Key"]) == ("/api/public/v1/payment-intents", "order-1-0")
    assert call.body == {"amount": Decimal("19.99"), "reference": "order-1", "return_url": "https://shop.example/1"}


def test_what_is_paid_is_not_asked_for_again_and_what_expired_is(service: FakeService) -> None:
    opened()
    Poster().post(payment_event("settled", 2))
    assert opened().is_paid
    assert len(service.calls) == 1
    Poster().post(payment_event("expired", 3))
    service.answers[0] = (201, {**ANSWER, "id": "another"})
    assert opened().id == "another"
    assert service.calls[-1].headers["Idempotency-Key"] == "order-1-1"


def test_another_amount_is_refused_while_the_first_can_be_paid(service: FakeService) -> None:
    opened()
    with pytest.raises(payments.AmountDiffersError, match="19.99, not of 20.00"):
        opened("20.00")


def test_an_event_that_overtakes_the_answer_is_kept(service: FakeService) -> None:
    Poster().post(payment_event("executing", 2))
    payment = payments.create_payment(reference="order-1", amount=Decimal("19.99"))
    assert (payment.status, payment.sequence, payment.checkout_url) == ("executing", 2, ANSWER["checkout_url"])


def test_a_payment_known_from_events_alone_gets_its_address(service: FakeService) -> None:
    Poster().post(payment_event("created", 1))
    assert opened().checkout_url == ANSWER["checkout_url"]
    assert [call.method for call in service.calls] == ["GET"]


def test_check_names_what_is_missing(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert conf.missing_settings() == []
    monkeypatch.delenv("CAUSEWAY_WEBHOOK_SECRET", raising=False)
    settings.CAUSEWAY_WEBHOOK_SECRET = ""
    assert [one.id for one in conf.missing_settings()] == ["causeway_django.W002"]


def test_no_migration_is_missing() -> None:
    call_command("makemigrations", "causeway_django", check=True, dry_run=True, verbosity=0)


def test_the_admin_shows_and_changes_nothing(admin_client: Client, admin_user: User) -> None:
    Poster().post(payment_event("settled", 2))
    listed = admin_client.get("/admin/causeway_django/payment/?q=order-1").content.decode()
    assert INTENT in listed
    page = admin_client.get(f"/admin/causeway_django/payment/{INTENT}/change/").content.decode()
    assert "19.990000" in page
    assert 'name="_save"' not in page
    for model in ("refund", "payout", "receivedevent"):
        assert admin_client.get(f"/admin/causeway_django/{model}/").status_code == 200
    assert admin_client.get("/admin/causeway_django/payment/add/").status_code == 403
    assert admin_client.post(f"/admin/causeway_django/payment/{INTENT}/delete/", {"post": "yes"}).status_code == 403
