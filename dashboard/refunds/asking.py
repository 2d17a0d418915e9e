"""The page with the claim link: to copy, with a text to send, and to mail where an address came with the payment."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import ServiceError
from dashboard.page import draw
from dashboard.refunds.pages import refund_line, refund_of
from dashboard.visit import Visit
from merchants.acts import Act
from refunds.services.ask import claim_letter, claim_link, mail_claim_link


def ask_payer(request: HttpRequest, visit: Visit, refund_id: UUID) -> HttpResponse:
    """Show the link; mail it where the visitor may know the payer's address."""
    refund, error = refund_of(visit, refund_id), ""
    may_see = visit.may(Act.SEE_CUSTOMERS)
    if request.method == "POST":
        try:
            mail_claim_link(visit.principal, refund)
        except ServiceError as refusal:
            error = refusal.message
        else:
            messages.success(request, "The link is on its way to the payer.")
            return redirect(visit.url("refund", refund_id=refund.pk))
    context = {
        "line": refund_line(refund),
        "link": claim_link(refund),
        "letter": claim_letter(refund, visit.merchant.name),
        "email": refund.intent.customer_email if may_see else "",
        "may_see_customers": may_see,
        "error": error,
    }
    return draw(request, visit, "dashboard/refunds/ask.html", context, status=400 if error else 200)
