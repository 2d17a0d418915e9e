"""The provider for django-payments: what is asked of the service, and what signed events do to a payment."""

import json
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from causeway_django import conf
from causeway_django.provider import CausewayProvider
from causeway_sdk import Causeway
from causeway_sdk.testing import FakeService, sign, tampered
from counter.models import Order
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from posted import INTENT, REFUND, Poster, payment_event, refund_event

from payments import PaymentError, PaymentStatus, RedirectNeeded
from payments.signals import status_changed

pytestmark = pytest.mark.django_db
STATIC = "/payments/process/causeway/"
CHECKOUT = "http://localhost:8000/checkout/x"
MADE = {
    "id": INTENT,
    "amount": "19.99",
    "currency": "USD",
    "mode": "test",
    "status": "created",
    "checkout_url": CHECKOUT,
}
BACK = {"id": REFUND, "payment_intent_id": INTENT, "amount_usd": 10.50, "status": "pending", "failure_reason": None}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> FakeService:
    fake = FakeService().answer(MADE, 201)
    monkeypatch.setattr(conf, "_client", lambda key, address: Causeway(key, address, max_retries=0, http_client=fake))
    return fake


@pytest.fixture
def order(service: FakeService) -> Order:
    """An order whose payer was sent to the checkout."""
    found = Order.objects.create(variant="causeway", total="19.99", currency="USD", billing_email="a@shop.example")
    with pytest.raises(RedirectNeeded, match=CHECKOUT):
        found.get_form()
    return found


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """The statuses of which the signal of django-payments tells."""
    statuses: list[str] = []

    def hear(instance: Order, **_: Any) -> None:
        statuses.append(instance.status)

    status_changed.connect(hear)
    yield statuses
    status_changed.disconnect(hear)


def post(event: dict[str, Any], path: str = STATIC) -> int:
    return Poster(path).post(event).status_code


def settled(order: Order) -> Order:
    assert post(payment_event("settled", 3)) == 204
    order.refresh_from_db()
    return order


def test_the_service_is_asked_once_for_what_the_order_costs(order: Order, service: FakeService) -> None:
    with pytest.raises(RedirectNeeded, match=CHECKOUT):
        Order.objects.get().get_form()
    [call] = service.calls
    assert call.headers["Idempotency-Key"] == f"{order.token}-payment"
    assert call.body == {
        "amount": Decimal("19.99"),
        "reference": order.token,
        "metadata": {"payment": order.token},
        "customer_email": "a@shop.example",
        "return_url": f"https://shop.example/payments/process/{order.token}/",
    }
    assert Order.objects.get().transaction_id == INTENT


def test_what_cannot_be_asked_for_is_refused(service: FakeService) -> None:
    with pytest.raises(PaymentError, match="US dollars only"):
        Order(variant="causeway", total="5.00", currency="EUR").get_form()
    service.answers[0] = (503, {"error": "Busy.", "code": "temporarily_unavailable"})
    with pytest.raises(PaymentError, match="Busy"):
        Order.objects.create(variant="causeway", total="5.00", currency="USD").get_form()
    assert Order.objects.get().transaction_id == ""


def test_a_signed_event_confirms(order: Order, heard: list[str]) -> None:
    assert post(payment_event("executing", 2)) == 204
    assert settled(order).captured_amount == Decimal("19.99")
    assert (order.status, heard) == (PaymentStatus.CONFIRMED, ["confirmed"])


@pytest.mark.parametrize("arrival", list(permutations(range(4))))
def test_order_and_repeats_change_nothing(order: Order, heard: list[str], arrival: tuple[int, ...]) -> None:
    events = [
        payment_event("created", 1),
        payment_event("executing", 2),
        payment_event("settled", 3),
        payment_event("overpaid", 4, amount_received="25.00"),
    ]
    for place in (*arrival, *arrival):
        assert post(events[place]) == 204
    order.refresh_from_db()
    assert (order.status, order.captured_amount, heard) == ("confirmed", Decimal("19.99"), ["confirmed"])


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        (["expired"], "rejected"),
        (["failed"], "rejected"),
        (["cancelled"], "cancelled"),
        (["expired", "settled"], "confirmed"),
        (["settled", "settlement_reversed"], "waiting"),
        (["settled", "settlement_reversed", "settlement_restored"], "confirmed"),
        (["settled", "refunded"], "refunded"),
    ],
)
def test_the_payment_follows(order: Order, kinds: list[str], status: str) -> None:
    for sequence, kind in enumerate(kinds, 1):
        assert post(payment_event(kind, sequence)) == 204
    order.refresh_from_db()
    assert order.status == status
    assert order.captured_amount == (Decimal("19.99") if status == "confirmed" else 0)


def test_less_than_the_order_costs_confirms_nothing(order: Order) -> None:
    Order.objects.update(total="25.00")
    assert settled(order).status == PaymentStatus.ERROR
    assert order.message == "19.99 was asked for and paid, not 25.00."


def test_what_counts_as_paid_in_full_is_captured_as_it_came(order: Order) -> None:
    post(payment_event("settled", 3, amount_received="19.95"))
    order.refresh_from_db()
    assert (order.status, order.captured_amount) == ("confirmed", Decimal("19.95"))


@pytest.mark.parametrize("own", [False, True], ids=["for all", "of the payment"])
def test_what_does_not_verify_is_refused_at_both_addresses(order: Order, own: bool) -> None:
    path = f"/payments/process/{order.token}/" if own else STATIC
    event = payment_event("settled", 3)
    assert Poster(path).post(event, **tampered(sign(json.dumps(event)))).status_code == 401
    order.refresh_from_db()
    assert order.status == PaymentStatus.WAITING
    assert post(event, path) == 204


def test_play_money_pays_no_real_order(order: Order, settings: Any) -> None:
    settings.CAUSEWAY_API_KEY = "sk_live_" + "x" * 24
    assert post(payment_event("settled", 3)) == 403
    assert post(payment_event("settled", 3), f"/payments/process/{order.token}/") == 403
    order.refresh_from_db()
    assert order.status == PaymentStatus.WAITING


def test_what_is_about_another_payment_changes_none(order: Order) -> None:
    other = Order.objects.create(variant="causeway", total="19.99", currency="USD", transaction_id="other")
    assert post(payment_event("settled", 3), f"/payments/process/{other.token}/") == 404
    unknown = payment_event("settled", 3)
    unknown["data"]["id"] = unknown["resource"]["id"] = "somebody-elses"
    assert post(unknown) == 200
    assert post({**unknown, "type": "ping", "resource": {"type": "ping", "id": "x"}}) == 200
    assert {one.status for one in Order.objects.all()} == {PaymentStatus.WAITING}


def test_an_event_that_overtakes_the_answer_comes_again(service: FakeService) -> None:
    order = Order.objects.create(variant="causeway", total="19.99", currency="USD")
    assert post(payment_event("created", 1, metadata={"payment": order.token})) == 200
    assert post(payment_event("settled", 3, metadata={"payment": order.token})) == 409


def test_a_payer_who_comes_back_proves_nothing(order: Order) -> None:
    path = f"/payments/process/{order.token}/"
    assert Client().get(f"{path}?payment_intent={INTENT}").status_code == 302
    order.refresh_from_db()
    assert order.status == PaymentStatus.WAITING


def test_a_part_and_then_the_rest_go_back(order: Order, service: FakeService) -> None:
    settled(order)
    service.answers[0] = (201, BACK)
    order.refund(Decimal("10.50"))
    assert (order.captured_amount, order.status) == (Decimal("9.49"), "confirmed")
    service.answers[0] = (201, {**BACK, "id": "another", "amount_usd": 9.49})
    order.refund()
    stored = Order.objects.get()
    assert (stored.captured_amount, stored.status) == (Decimal("0.00"), "refunded")
    first, second = service.calls[1:]
    assert first.body == {"intent_id": INTENT, "amount_usd": Decimal("10.50")}
    assert second.body["amount_usd"] == Decimal("9.49")
    assert [call.headers["Idempotency-Key"] for call in (first, second)] == [
        f"{order.token}-refund-0-10.50",
        f"{order.token}-refund-1-9.49",
    ]


def test_a_lost_answer_is_asked_for_again_and_refunds_once(order: Order, service: FakeService) -> None:
    settled(order)
    service.answers[:] = [ConnectionError("lost"), (201, BACK)]
    with pytest.raises(PaymentError):
        order.refund(Decimal("10.50"))
    with pytest.raises(PaymentError, match="refund of 10.50 was asked for"):
        Order.objects.get().refund(Decimal("5.00"))
    Order.objects.get().refund(Decimal("10.50"))
    assert [call.headers["Idempotency-Key"] for call in service.calls[1:]] == [f"{order.token}-refund-0-10.50"] * 2
    assert Order.objects.get().captured_amount == Decimal("9.49")


def test_the_event_of_a_refund_is_the_answer_that_was_lost(order: Order, service: FakeService) -> None:
    settled(order)
    service.answers[:] = [ConnectionError("lost"), (201, {**BACK, "id": "another", "amount_usd": 9.49})]
    with pytest.raises(PaymentError):
        order.refund(Decimal("10.50"))
    assert post(refund_event("created", 1)) == 204
    assert Order.objects.get().captured_amount == Decimal("9.49")
    Order.objects.get().refund()
    assert service.calls[-1].headers["Idempotency-Key"] == f"{order.token}-refund-1-9.49"
    assert Order.objects.get().status == "refunded"


def test_what_the_service_refuses_can_be_asked_for_otherwise(order: Order, service: FakeService) -> None:
    settled(order)
    service.answers[:] = [(422, {"error": "Too much.", "code": "refund_exceeds_balance"}), (201, BACK)]
    with pytest.raises(PaymentError, match="Too much"):
        order.refund(Decimal("19.99"))
    assert Order.objects.get().captured_amount == Decimal("19.99")
    order.refund(Decimal("10.50"))
    assert Order.objects.get().captured_amount == Decimal("9.49")


def test_an_event_before_the_answer_counts_once(
    order: Order, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(order)
    service.answers[0] = (201, BACK)
    ask = service.request

    def event_first(*asked: Any, **more: Any) -> Any:
        post(refund_event("created", 1))
        return ask(*asked, **more)

    monkeypatch.setattr(service, "request", event_first)
    order.refund(Decimal("10.50"))
    assert (order.captured_amount, Order.objects.get().captured_amount) == (Decimal("9.49"), Decimal("9.49"))


@pytest.mark.parametrize("over", ["failed", "cancelled"])
def test_a_refund_that_is_not_paid_is_the_shops_again(
    order: Order, service: FakeService, heard: list[str], over: str
) -> None:
    settled(order)
    service.answers[0] = (201, {**BACK, "amount_usd": 19.99})
    order.refund()
    assert Order.objects.get().status == "refunded"
    assert post(refund_event(over, 3, amount_usd=19.99)) == 204
    assert post(refund_event("processing", 2, amount_usd=19.99)) == 204
    stored = Order.objects.get()
    assert (stored.status, stored.captured_amount) == ("confirmed", Decimal("19.99"))
    assert stored.message.startswith(f"A refund of 19.99 {over}")
    assert heard == ["confirmed", "refunded", "confirmed"]


def test_a_refund_from_the_dashboard_counts(order: Order, service: FakeService) -> None:
    settled(order)
    post(refund_event("created", 1))
    post(refund_event("paid", 2))
    assert (Order.objects.get().captured_amount, len(service.calls)) == (Decimal("9.49"), 1)
    with pytest.raises(PaymentError, match="cannot be refunded"):
        order.refund(Decimal("19.99"))


def test_cancelling_asks_the_service(order: Order, service: FakeService) -> None:
    service.answers[0] = (
        409,
        {"error": "On its way.", "code": "intent_not_cancellable", "details": {"status": "executing"}},
    )
    with pytest.raises(PaymentError, match="On its way"):
        order.cancel()
    assert Order.objects.get().status == PaymentStatus.WAITING
    service.answers[0] = (200, {**MADE, "status": "cancelled"})
    order.cancel()
    assert service.calls[-1].path == f"/api/public/v1/payment-intents/{INTENT}/cancel"
    assert Order.objects.get().status == PaymentStatus.CANCELLED


def test_what_has_no_counterpart_says_so(order: Order) -> None:
    Order.objects.update(status=PaymentStatus.PREAUTH)
    with pytest.raises(PaymentError, match="captured when it settles"):
        Order.objects.get().capture()
    with pytest.raises(PaymentError, match="nothing to release"):
        Order.objects.get().release()
    with pytest.raises(ImproperlyConfigured):
        CausewayProvider(capture=False)
