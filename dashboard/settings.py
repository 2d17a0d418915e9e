"""The settings page: one card for each subject; and the business's own name."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import InvalidRequest
from dashboard.cards import Card
from dashboard.page import draw
from dashboard.payments.policy import policy_section
from dashboard.payments.settling_lines import settlement_section
from dashboard.payouts.settings import payout_settings
from dashboard.refunds.policy import refund_section
from dashboard.visit import Visit
from merchants.acts import Act
from merchants.services import NAME_LENGTH, rename_merchant


def show_settings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Every card of this merchant and mode."""
    sections = [card.drawn(visit) for card in CARDS]
    return draw(request, visit, "dashboard/settings/page.html", {"sections": sections})


def change_name(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask for the business's name, and change it for both modes."""
    typed, fault = request.POST.get("name", visit.merchant.name), ""
    if request.method == "POST":
        try:
            rename_merchant(visit.principal, typed)
        except InvalidRequest as refusal:
            fault = refusal.details["fields"][0]["message"]
        else:
            messages.success(request, "The name is changed, in test and in live mode.")
            return redirect(visit.url("settings"))
    context = {"typed": typed, "fault": fault, "longest": NAME_LENGTH}
    return draw(request, visit, "dashboard/settings/name.html", context, status=400 if fault else 200)


CARDS = (
    Card(template="dashboard/settlement/section.html", context=settlement_section),
    Card(template="dashboard/settings/policy_section.html", context=policy_section),
    Card(template="dashboard/settings/refunds_section.html", context=refund_section),
    Card(template="dashboard/payouts/section.html", context=payout_settings),
    Card(
        template="dashboard/settings/name_section.html",
        context=lambda visit: {"name": visit.merchant.name, "may_change": visit.may(Act.CHANGE_LOOK)},
    ),
)
