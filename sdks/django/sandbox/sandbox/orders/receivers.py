"""What happens to an order when its payment changes. All of it is stored with the event, or nothing is."""

from decimal import ROUND_DOWN, Decimal
from typing import Any

from causeway_django.models import Payment, Refund
from causeway_django.signals import (
    payment_refunded,
    payment_restored,
    payment_reversed,
    payment_settled,
    refund_paid,
)
from django.dispatch import receiver
from oscar.core.loading import get_model

Order, Source, SourceType = (
    get_model("order", "Order"),
    get_model("payment", "Source"),
    get_model("payment", "SourceType"),
)


def order_of(payment: Payment) -> Any:
    """The order, locked; None where the payment is none of this shop's."""
    return Order.objects.select_for_update().filter(number=payment.reference).first()


@receiver(payment_settled)
def pay(payment: Payment, **_: Any) -> None:
    """Book what arrived. A payment over another amount pays nothing: somebody has to look."""
    order = order_of(payment)
    if order is None:
        return
    if (payment.amount, payment.currency) != (order.total_incl_tax, order.currency):
        order.notes.create(note_type="Error", message=f"Payment {payment.id} is over {payment.amount:.2f}.")
        return
    kind, _created = SourceType.objects.get_or_create(name="Causeway")
    source = Source.objects.create(
        order=order, source_type=kind, currency="USD", amount_allocated=payment.amount, reference=payment.id
    )
    source.debit(payment.amount, reference=payment.id)
    order.set_status("Paid")


@receiver(payment_reversed)
def wait_again(payment: Payment, **_: Any) -> None:
    """A chain took the money back: an order that is not shipped waits."""
    order = order_of(payment)
    if order is not None and order.status == "Paid":
        order.set_status("Pending")


@receiver(payment_restored)
def pay_again(payment: Payment, **_: Any) -> None:
    """The money is back."""
    order = order_of(payment)
    if order is not None and order.status == "Pending":
        order.set_status("Paid")


@receiver(refund_paid)
def book_refund(refund: Refund, **_: Any) -> None:
    """Book what went back."""
    source = Source.objects.filter(reference=refund.payment_id).first()
    if source is not None:
        source.refund(refund.amount.quantize(Decimal("0.01"), ROUND_DOWN), reference=refund.id)


@receiver(payment_refunded)
def close(payment: Payment, **_: Any) -> None:
    """All went back."""
    order = order_of(payment)
    if order is not None and order.status in {"Paid", "Shipped"}:
        order.set_status("Refunded")
