"""Asks the service for payments, and keeps them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from causeway_django import conf
from causeway_django.models import OPEN, Payment


class AmountDiffersError(ValueError):
    """The order has a payment over another amount that can still be paid: cancel that one first."""


def open_payment(*, reference: str, amount: Decimal, **more: Any) -> Payment:
    """The payment of an order: the one that is there and can still be paid or is, or else a new one.

    Called twice, also by two processes at once, it makes one payment: nobody is asked to pay an order twice. ``more``:
    what ``payment_intents.create`` takes, such as ``return_url``. Call it outside of a transaction: it asks a service.
    Units: US dollars. Raises: AmountDiffersError; CausewayError of the SDK.
    """
    known = Payment.objects.filter(reference=reference, mode=conf.mode_of())
    payment = known.filter(status__in=[*OPEN, "settled"]).order_by("-stored_at", "id").first()
    if payment is None:
        return create_payment(reference=reference, amount=amount, key=f"{reference}-{known.count()}", **more)
    if payment.amount != amount:
        raise AmountDiffersError(f"{reference} has a payment of {payment.amount:.2f}, not of {amount:.2f}.")
    if not payment.checkout_url:
        _keep_address(payment, conf.client().payment_intents.get(payment.id).checkout_url)
    return payment


def create_payment(*, reference: str, amount: Decimal, key: str | None = None, **more: Any) -> Payment:
    """A new payment. ``key``: the idempotency key, under which a repeat gets the same one.

    Units, ``more`` and Raises: as ``open_payment``.
    """
    intent = conf.client().payment_intents.create(amount=amount, reference=reference, idempotency_key=key, **more)
    payment, _ = Payment.objects.get_or_create(
        id=intent.id,
        defaults={"mode": intent.mode, "status": intent.status, "amount": intent.amount, "reference": reference},
    )
    _keep_address(payment, intent.checkout_url)
    return payment


def _keep_address(payment: Payment, checkout_url: str) -> None:
    """Store it, which no event says. Why alone: an event may have changed the other columns meanwhile."""
    payment.checkout_url = checkout_url
    payment.save(update_fields=["checkout_url"])
