"""What a merchant wants done by itself: all payouts held, and payments paid out when they settle. Each asks first."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from dashboard.page import draw
from dashboard.visit import Visit
from merchants.acts import Act
from merchants.principal import Principal
from payouts.models import PayoutPolicy
from payouts.selectors import policy_of
from payouts.services import pause_payouts, resume_payouts, set_payout_at_settle

Write = Callable[[Principal], PayoutPolicy]


def payout_settings(visit: Visit) -> dict[str, object]:
    """What stands about payouts on the settings page."""
    return {"policy": policy_of(visit.principal), "may_change": visit.may(Act.CHANGE_SETTLEMENT)}


def pause_all(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask, then send nothing new."""
    return _asked(request, visit, "pause_all", (pause_payouts, "Payouts are paused. Nothing new is sent."))


def resume_all(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask, then let all payouts go on."""
    return _asked(request, visit, "resume_all", (resume_payouts, "Payouts go on. What waited is sent now."))


def pay_at_settle(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask, then pay out by itself whatever settles from now on, or no more."""
    wanted = request.POST.get("at_settle")
    if request.method == "POST" and wanted not in {"on", "off"}:
        messages.error(request, "Nothing was changed: choose on or off.")
        return redirect(visit.url("payouts_at_settle"))
    is_on = wanted == "on"
    words = "What settles from now on is paid out by itself." if is_on else "Nothing is paid out by itself."
    return _asked(request, visit, "at_settle", (lambda who: set_payout_at_settle(who, enabled=is_on), words))


def _asked(request: HttpRequest, visit: Visit, name: str, action: tuple[Write, str]) -> HttpResponse:
    write, words = action
    if request.method != "POST":
        return draw(request, visit, f"dashboard/payouts/{name}.html", {"policy": policy_of(visit.principal)})
    write(visit.principal)
    messages.success(request, words)
    return redirect(visit.url("payouts"))
