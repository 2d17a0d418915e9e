"""A payout that is held because its address was given up: sent to the present one, or to the old one after all."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import ServiceError
from dashboard.page import draw
from dashboard.payouts.lines import payout_line, payout_of
from dashboard.visit import Visit
from merchants.principal import Principal
from payouts.models import Payout
from payouts.services import readdress_payout, release_payout

Decide = Callable[[Principal, UUID, str], Payout]


def readdress(request: HttpRequest, visit: Visit, payout_id: UUID) -> HttpResponse:
    """Ask, then send it to the present address."""
    return _decided(request, visit, payout_id, (readdress_payout, "It goes to your present address, within seconds."))


def release(request: HttpRequest, visit: Visit, payout_id: UUID) -> HttpResponse:
    """Ask, then let it go to the old address."""
    return _decided(request, visit, payout_id, (release_payout, "It goes to the old address, within seconds."))


def _decided(request: HttpRequest, visit: Visit, payout_id: UUID, action: tuple[Decide, str]) -> HttpResponse:
    """Why the form carries the address: it must be the one that the person read."""
    payout, (decide, words) = payout_of(visit, payout_id), action
    if request.method != "POST":
        context = {"line": payout_line(payout), "is_release": decide is release_payout}
        return draw(request, visit, "dashboard/payouts/moved.html", context)
    try:
        decide(visit.principal, payout.pk, request.POST.get("destination", ""))
        messages.success(request, words)
    except ServiceError as refusal:
        messages.error(request, refusal.message)
    return redirect(visit.url("payout", payout_id=payout.pk))
