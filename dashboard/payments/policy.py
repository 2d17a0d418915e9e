"""Settings of how payments are judged: what is enough, when it is sure, and what happens to late money."""

from decimal import Decimal, InvalidOperation

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import InvalidRequest
from core.modes import Mode
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.acts import Act
from payments.amounts import MOST_TOLERANCE_BPS
from payments.models import PaymentPolicy
from payments.selectors import policy_of
from payments.services.policy import WantedPolicy, set_payment_policy

DEFAULT_TOLERANCE = "0.5 %, at most 0.10 USD"
FINALITY = {
    "": "By amount: small payments at once, large ones when their chain calls them safe or final",
    "safe": "At least safe: minutes on most chains, whatever the amount",
    "finalized": "Always final: nothing can take it back, and payers wait longest",
}
LATE = {
    "hold": "Keep it and tell me: the payment stays expired until somebody decides",
    "settle": "Take it: if the whole amount is there, the payment is settled",
    "refund": "Send it back: a refund is made, and goes out once its address is known",
}
SHORT = {
    "": "By amount",
    "safe": "At least safe",
    "finalized": "Always final",
    "hold": "Keep it and tell me",
    "settle": "Take it",
    "refund": "Send it back",
}
"""The choices in a few words, for the settings page."""
_NOT_A_RATE = -1


def change_policy(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask how payments are to be judged, and judge them so from now on."""
    typed, faults = _typed(request, visit), {}
    if request.method == "POST":
        wanted = WantedPolicy(
            tolerance_bps=_basis_points(typed["tolerance"]), finality=typed["finality"], late=typed["late"]
        )
        try:
            set_payment_policy(visit.principal, wanted)
        except InvalidRequest as refusal:
            faults = {problem["field"]: problem["message"] for problem in refusal.details["fields"]}
        else:
            messages.success(request, "Saved. Payments are judged so from now on, those under way among them.")
            return redirect(visit.url("settings"))
    context = {
        "typed": typed,
        "faults": faults,
        "finalities": FINALITY.items(),
        "lates": LATE.items(),
        "is_live": visit.mode == Mode.LIVE,
        "default_tolerance": DEFAULT_TOLERANCE,
    }
    return draw(request, visit, "dashboard/settings/policy.html", context, status=400 if faults else 200)


def policy_section(visit: Visit) -> dict[str, object]:
    """What holds now."""
    policy = policy_of(visit.merchant.pk, visit.mode)
    percent = _percent(policy)
    return {
        "tolerance": f"{percent} %, at most 5 USD" if percent else DEFAULT_TOLERANCE,
        "is_default_tolerance": not percent,
        "finality": SHORT[policy.finality],
        "late": SHORT[policy.late],
        "late_is": policy.late,
        "is_live": visit.mode == Mode.LIVE,
        "may_change": visit.may(Act.CHANGE_SETTLEMENT),
    }


def _typed(request: HttpRequest, visit: Visit) -> dict[str, str]:
    """What the form says; before it is sent, what holds."""
    policy = policy_of(visit.merchant.pk, visit.mode)
    now_so = {"tolerance": _percent(policy), "finality": policy.finality, "late": policy.late}
    if request.method != "POST":
        return now_so
    return {name: request.POST.get(name, value)[:64].strip() for name, value in now_so.items()}


def _percent(policy: PaymentPolicy) -> str:
    """The tolerance as people write it; empty for the default."""
    if policy.tolerance_bps is None:
        return ""
    return f"{Decimal(policy.tolerance_bps) / 100:f}"


def _basis_points(text: str) -> int | None:
    """Hundredths of a percent; None for the default; something refused where the text is no such number."""
    if not text:
        return None
    try:
        scaled = Decimal(text.replace(",", ".")) * 100 if text.isascii() else Decimal(_NOT_A_RATE)
    except InvalidOperation:
        return _NOT_A_RATE
    is_rate = scaled.is_finite() and 0 <= scaled <= MOST_TOLERANCE_BPS and scaled == int(scaled)
    return int(scaled) if is_rate else _NOT_A_RATE
