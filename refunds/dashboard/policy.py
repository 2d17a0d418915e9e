"""The setting of where refunds go that name no address."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from merchants.acts import Act
from merchants.site import Page, Panel, SettingsSection, Visit, draw, register_panel, register_settings, site_of
from refunds.models import RefundPolicy
from refunds.services.policy import set_refund_policy

_CHOICES = {
    "ask": "Always ask: the refund waits until somebody says where to",
    "wallet": "To the wallet that paid, where exactly one provably paid as much; else it waits",
}


def change_policy(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask where refunds go by themselves."""
    typed = request.POST.get("destination", "wallet" if _goes_back(visit) else "ask")
    is_wrong = request.method == "POST" and typed not in _CHOICES
    if request.method == "POST" and not is_wrong:
        set_refund_policy(visit.principal, to_paying_wallet=typed == "wallet")
        messages.success(request, "Saved. It holds for refunds made from now on.")
        return redirect(site_of(visit).url("settings"))
    context = {"choices": _CHOICES.items(), "typed": typed, "is_wrong": is_wrong}
    return draw(request, visit, "dashboard/settings/refunds.html", context, status=400 if is_wrong else 200)


def refund_section(visit: Visit) -> dict[str, object]:
    """What holds now."""
    return {"to_paying_wallet": _goes_back(visit), "may_change": visit.may(Act.CHANGE_SETTLEMENT)}


def _goes_back(visit: Visit) -> bool:
    return RefundPolicy.objects.visible_to(visit.principal).filter(to_paying_wallet=True).exists()


register_panel(
    Panel(
        position=90,
        pages=(Page(path="settings/refunds/", name="refund_policy", view=change_policy, act=Act.CHANGE_SETTLEMENT),),
    )
)
register_settings(
    SettingsSection(position=30, template="dashboard/settings/refunds_section.html", context=refund_section)
)
