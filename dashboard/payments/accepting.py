"""Accepting what arrived of a partly paid payment: a page that asks, then does it."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from dashboard.finding import intent_of
from dashboard.page import carry_out, draw
from dashboard.payments.calls import accepting
from dashboard.payments.words import dollars
from dashboard.visit import Visit
from payments.amounts import amount_due, kept_usd
from payments.errors import IntentNotAcceptable
from payments.models import PaymentIntent
from payments.services.accept import accept_partial, why_not_acceptable
from payments.states import INTENT_MACHINE


def may_be_acceptable(intent: PaymentIntent) -> bool:
    """Whether a button leads to the page. Why by the row alone: the page says in words where more is on its way."""
    return INTENT_MACHINE.allows(intent.status, "accept_partial") and kept_usd(intent) > 0


def accept_payment(request: HttpRequest, visit: Visit, intent_id: UUID) -> HttpResponse:
    """Ask, then settle the payment with what arrived."""
    intent = intent_of(visit, intent_id)
    if request.method != "POST":
        reason = why_not_acceptable(intent)
        context = {
            "intent": intent,
            "amount": dollars(intent.amount),
            "arrived": dollars(kept_usd(intent)),
            "missing": dollars(amount_due(intent)),
            "refusal": IntentNotAcceptable(intent.status, reason).message if reason else "",
            "call": accepting(intent),
        }
        return draw(request, visit, "dashboard/payments/accept.html", context)
    back, done = visit.url("payment", intent_id=intent_id), "You accepted what arrived. The payment is settled."
    return carry_out(request, lambda: accept_partial(visit.principal, intent_id), done, back=back)
