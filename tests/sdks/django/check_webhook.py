"""The webhook: an event counts once, whatever order it comes in, and whole or not at all."""

import json
from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from causeway_django import signals
from causeway_django.models import Payment, Payout, ReceivedEvent, Refund
from causeway_sdk.testing import sign, tampered
from django.core.exceptions import ImproperlyConfigured
from django.dispatch import Signal
from posted import INTENT, REFUND, Poster, envelope, payment_event, refund_event

pytestmark = pytest.mark.django_db
NAMES = {value: name for name, value in vars(signals).items() if isinstance(value, Signal)}


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """The names of the signals that are sent, but for the one of every event and those of every change."""
    names: list[str] = []

    def hear(signal: Signal, **_: Any) -> None:
        names.append(NAMES[signal])

    heard_of = [signal for signal, name in NAMES.items() if not name.endswith(("_changed", "_received"))]
    for signal in heard_of:
        signal.connect(hear)
    yield names
    for signal in heard_of:
        signal.disconnect(hear)


def test_a_payment_follows_its_events(heard: list[str]) -> None:
    poster = Poster()
    assert poster.post(payment_event("created", 1)).status_code == 204
    assert heard == []
    assert poster.post(payment_event("settled", 2)).status_code == 204
    payment = Payment.objects.get()
    assert (payment.id, payment.reference, payment.status) == (INTENT, "order-1", "settled")
    assert (payment.amount, payment.amount_received, payment.mode) == (Decimal("19.99"), Decimal("19.99"), "test")
    assert payment.metadata == {"weight": 1.5}
    assert payment.is_paid
    assert heard == ["payment_settled"]


def test_what_comes_twice_counts_once(heard: list[str]) -> None:
    poster, times = Poster(), []
    signals.event_received.connect(lambda **_: times.append(1), weak=False, dispatch_uid="times")
    for _ in range(3):
        assert poster.post(payment_event("settled", 2)).status_code == 204
    signals.event_received.disconnect(dispatch_uid="times")
    assert (heard, len(times), ReceivedEvent.objects.count()) == (["payment_settled"], 1, 1)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_the_order_changes_nothing(heard: list[str], order: tuple[int, ...]) -> None:
    events = [
        payment_event("created", 1),
        payment_event("executing", 2),
        payment_event("settled", 3),
        payment_event("overpaid", 4, amount_received="25.00"),
    ]
    for place in order:
        assert Poster().post(events[place]).status_code == 204
    payment = Payment.objects.get()
    assert (payment.status, payment.sequence, payment.amount_received) == ("settled", 4, Decimal("25.00"))
    assert heard == ["payment_settled"]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("settled", "settlement_reversed"), ["payment_settled", "payment_reversed"]),
        (
            ("settled", "settlement_reversed", "settlement_restored"),
            ["payment_settled", "payment_reversed", "payment_restored"],
        ),
        (
            ("settled", "settlement_reversed", "partially_filled"),
            ["payment_settled", "payment_reversed"],
        ),
        (("created", "expired"), ["payment_closed"]),
        (("expired", "settled"), ["payment_closed", "payment_settled"]),
        (("cancelled",), ["payment_closed"]),
        (("settled", "refunded"), ["payment_settled", "payment_refunded"]),
    ],
)
def test_each_change_of_status_has_its_signal(heard: list[str], kinds: tuple[str, ...], expected: list[str]) -> None:
    for sequence, kind in enumerate(kinds, 1):
        Poster().post(payment_event(kind, sequence))
    assert heard == expected


def test_a_settlement_that_was_reversed_before_it_was_heard_of_ships_nothing(heard: list[str]) -> None:
    Poster().post(payment_event("settlement_reversed", 3))
    Poster().post(payment_event("settled", 2))
    assert (Payment.objects.get().status, heard) == ("executing", [])
    Poster().post(payment_event("settlement_restored", 4))
    assert heard == ["payment_settled"]


def test_of_two_events_with_one_sequence_the_later_counts() -> None:
    """As after the service was put back from a backup."""
    first, second = payment_event("executing", 3), payment_event("settled", 3)
    second["created_at"] = "2026-11-28T13:00:00.000Z"
    for event in (second, first):
        Poster().post(event)
    assert Payment.objects.get().status == "settled"


def test_sequences_are_the_resources_own(heard: list[str]) -> None:
    Poster().post(payment_event("settled", 7))
    Poster().post(refund_event("created", 1))
    Poster().post(refund_event("paid", 2))
    refund = Refund.objects.get()
    assert (refund.id, refund.payment_id, refund.amount) == (REFUND, INTENT, Decimal("10.5"))
    assert (refund.status, refund.sequence, refund.tx_hash) == ("paid", 2, "0xabc")
    assert Payment.objects.get().sequence == 7
    assert heard == ["payment_settled", "refund_paid"]


@pytest.mark.parametrize("kind", ["failed", "cancelled"])
def test_a_refund_that_is_over_unpaid_has_its_signal(heard: list[str], kind: str) -> None:
    Poster().post(refund_event(kind, 2))
    Poster().post(refund_event("processing", 1))
    assert (Refund.objects.get().status, heard) == (kind, ["refund_failed"])


def test_a_payout_and_what_nobody_knows_yet_are_taken() -> None:
    facts = {
        **{"id": INTENT, "payment_intent_id": None, "rail": "transfer", "destination": "0x1", "chain": "base"},
        **{"token": "USDC", "amount": "5.00", "currency": "USD", "status": "paid", "tx_hash": "0x2", "attempts": 1},
        **{"failure_reason": None, "next_attempt_at": None, "paid_at": "2026-11-28T12:00:00Z", "metadata": {}},
    }
    assert Poster().post(envelope("payout", INTENT, "paid", 3, facts)).status_code == 204
    assert Poster().post(envelope("of_tomorrow", "x", "made", 1, {"a": 1})).status_code == 204
    assert (Payout.objects.get().status, Payout.objects.get().amount) == ("paid", Decimal("5.00"))
    assert ReceivedEvent.objects.count() == 2


def test_a_type_of_tomorrow_moves_a_payment_that_it_describes(heard: list[str]) -> None:
    event = payment_event("settled", 5)
    assert Poster().post({**event, "type": "payment_intent.of_tomorrow"}).status_code == 204
    assert (Payment.objects.get().status, heard) == ("settled", ["payment_settled"])
    del event["data"]["reference"]
    assert Poster().post({**event, "id": "evt_2", "type": "payment_intent.of_tomorrow"}).status_code == 204


def test_a_receiver_that_fails_keeps_nothing_and_the_next_try_counts() -> None:
    poster = Poster()
    poster.client.raise_request_exception = False

    def fail(**_: Any) -> None:
        raise RuntimeError("the shop's own fault")

    signals.payment_settled.connect(fail)
    try:
        assert poster.post(payment_event("settled", 2)).status_code == 500
    finally:
        signals.payment_settled.disconnect(fail)
    assert (Payment.objects.count(), ReceivedEvent.objects.count()) == (0, 0)
    assert poster.post(payment_event("settled", 2)).status_code == 204
    assert Payment.objects.get().was_announced


def test_what_does_not_verify_is_refused() -> None:
    event = payment_event("settled", 2)
    poster = Poster()
    answer = poster.post(event, **tampered(sign(json.dumps(event))))
    assert (answer.status_code, answer.content) == (401, b"signature_mismatch")
    assert poster.client.get(poster.path).status_code == 405
    assert Payment.objects.count() == 0


def test_play_money_pays_no_real_order(settings: Any) -> None:
    settings.CAUSEWAY_API_KEY = "sk_live_" + "x" * 24
    answer = Poster().post(payment_event("settled", 2))
    assert (answer.status_code, answer.content, Payment.objects.count()) == (403, b"wrong_mode", 0)
    assert Poster().post(payment_event("settled", 2, mode="live")).status_code == 204


def test_secrets_are_read_each_time_and_both_count_in_a_rotation(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Poster(secret="whsec_b2xk").post(payment_event("created", 1)).status_code == 204
    settings.CAUSEWAY_WEBHOOK_SECRET = ["whsec_bmV4dA=="]
    assert Poster(secret="whsec_b2xk").post(payment_event("created", 1)).status_code == 401
    assert Poster(secret="whsec_bmV4dA==").post(payment_event("created", 1)).status_code == 204
    del settings.CAUSEWAY_WEBHOOK_SECRET
    monkeypatch.setenv("CAUSEWAY_WEBHOOK_SECRET", "whsec_ZW52")
    assert Poster(secret="whsec_ZW52").post(payment_event("created", 1)).status_code == 204
    monkeypatch.delenv("CAUSEWAY_WEBHOOK_SECRET")
    with pytest.raises(ImproperlyConfigured):
        Poster(secret="").post(payment_event("created", 1))
