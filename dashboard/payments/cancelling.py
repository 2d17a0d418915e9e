"""Cancelling a payment that nobody has paid: a page that asks, then does it."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from dashboard.finding import intent_of
from dashboard.page import carry_out, draw
from dashboard.payments.calls import cancelling
from dashboard.payments.words import dollars, status_of
from dashboard.visit import Visit
from payments.models import PaymentIntent
from payments.services.cancel import cancel_intent
from payments.states import INTENT_MACHINE


def is_cancellable(intent: PaymentIntent) -> bool:
    """Whether cancelling would be allowed now."""
    return INTENT_MACHINE.allows(intent.status, "cancel") and intent.received_usd == 0


def cancel_payment(request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """Ask, then cancel."""
    intent = intent_of(visit, intent_id)
    if request.method != "POST":
        context = {
            "intent": intent,
            "amount": dollars(intent.amount),
            "status": status_of(intent),
            "is_cancellable": is_cancellable(intent),
            "call": cancelling(intent),
        }
        return draw(request, visit, "dashboard/payments/cancel.html", context)
    back = visit.url("payment", intent_id=intent_id)
    done = "The payment is cancelled. Its checkout link no longer takes money."
    return carry_out(request, lambda: cancel_intent(visit.principal, intent_id), done, back=back)
