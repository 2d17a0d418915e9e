"""Ending the payments that still settle at an address that was given up: a page that says which, then does it."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from dashboard.page import draw
from dashboard.payments.settling_lines import NAMED, leftover_line
from dashboard.visit import Visit
from payments.models import SettlementChange
from payments.services.settlement_leftovers import MOST_AT_ONCE, Ended, cancel_at_old_address


def cancel_leftovers(request: HttpRequest, visit: Visit, change_id: UUID) -> HttpResponse:
    """Ask, then cancel what nobody has paid of them, and name what stays."""
    change = SettlementChange.objects.visible_to(visit.principal).filter(pk=change_id).first()
    if change is None:
        raise Http404
    if request.method != "POST":
        context = {"line": leftover_line(visit, change), "most": MOST_AT_ONCE}
        return draw(request, visit, "dashboard/settlement/leftovers.html", context)
    messages.success(request, _outcome_message(cancel_at_old_address(visit.principal, change_id)))
    return redirect(visit.url("settlement_leftovers", change_id=change.pk))


def _outcome_message(ended: Ended) -> str:
    plural = "" if ended.cancelled == 1 else "s"
    words = f"{ended.cancelled} payment{plural} cancelled. Checkout links of those take no money any more."
    if not ended.stayed:
        return words
    return f"{words} Money is on its way for {', '.join(map(str, ended.stayed[:NAMED]))}: it stays."
