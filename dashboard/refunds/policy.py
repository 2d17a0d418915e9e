"""The settings of where refunds go that name no address, and of what a live key may send where nobody knows it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import InvalidRequest
from core.modes import Mode
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.acts import Act
from refunds.models import RefundPolicy
from refunds.services.policy import set_refund_policy

_CHOICES = {
    "ask": "Always ask: the refund waits until somebody says where to",
    "wallet": "To the wallet that paid, where exactly one provably paid as much; else it waits",
}
_NEWCOMERS = {
    "confirm": "A person lets the first one go: it waits on the dashboard",
    "send": "It is sent at once: whoever has the key decides",
}
_LONGEST_LIST = 8_000


def change_policy(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask where refunds go by themselves, and in live mode whether a key may send to addresses that nobody knows."""
    policy = _policy(visit)
    typed = {
        "destination": "wallet" if policy.to_paying_wallet else "ask",
        "newcomers": "confirm" if policy.confirms_new_destinations else "send",
        "destinations": "\n".join(policy.destinations),
    }
    if request.method == "POST":
        typed |= {name: request.POST[name][:_LONGEST_LIST] for name in typed if name in request.POST}
    is_wrong = typed["destination"] not in _CHOICES or typed["newcomers"] not in _NEWCOMERS
    fault = "Choose one of these. Nothing was changed." if is_wrong else ""
    if request.method == "POST" and not is_wrong:
        fault = _saved(visit, typed)
        if not fault:
            messages.success(request, "Saved. It holds for refunds made from now on.")
            return redirect(visit.url("settings"))
    context = {
        "choices": _CHOICES.items(),
        "newcomers": _NEWCOMERS.items(),
        "is_live": visit.mode == Mode.LIVE,
        "typed": typed,
        "fault": fault,
    }
    return draw(request, visit, "dashboard/settings/refunds.html", context, status=400 if fault else 200)


def refund_section(visit: Visit) -> dict[str, object]:
    """What holds now."""
    policy = _policy(visit)
    return {
        "to_paying_wallet": policy.to_paying_wallet,
        "confirms_new_destinations": policy.confirms_new_destinations,
        "destinations": policy.destinations,
        "is_live": visit.mode == Mode.LIVE,
        "may_change": visit.may(Act.CHANGE_SETTLEMENT),
    }


def _policy(visit: Visit) -> RefundPolicy:
    return RefundPolicy.objects.visible_to(visit.principal).first() or RefundPolicy()


def _saved(visit: Visit, typed: dict[str, str]) -> str:
    """Have it so; what is wrong with it, in a sentence."""
    try:
        set_refund_policy(
            visit.principal,
            to_paying_wallet=typed["destination"] == "wallet",
            confirms_new_destinations=typed["newcomers"] == "confirm",
            destinations=typed["destinations"].split(),
        )
    except InvalidRequest as refusal:
        return str(refusal.details["fields"][0]["message"])
    return ""
