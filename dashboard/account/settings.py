"""The settings page: one card per subject, from whichever app knows it; and the business's own name."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import InvalidRequest
from dashboard.site import (
    SETTINGS,
    Menu,
    Page,
    Panel,
    Section,
    SettingsSection,
    Visit,
    draw,
    register_panel,
    register_settings,
    site_of,
)
from merchants.acts import Act
from merchants.services import NAME_LENGTH, rename_merchant


def show_settings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Every section of this merchant and mode."""
    sections = [{"template": section.template, **section.context(visit)} for section in SETTINGS]
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
            return redirect(site_of(visit).url("settings"))
    context = {"typed": typed, "fault": fault, "longest": NAME_LENGTH}
    return draw(request, visit, "dashboard/settings/name.html", context, status=400 if fault else 200)


register_panel(
    Panel(
        position=90,
        pages=(
            Page(path="settings/", name="settings", view=show_settings, menu=Menu("Settings", Section.BUSINESS, 10)),
            Page(path="settings/name/", name="business_name", view=change_name, act=Act.CHANGE_LOOK),
        ),
    )
)
register_settings(
    SettingsSection(
        position=90,
        template="dashboard/settings/name_section.html",
        context=lambda visit: {"name": visit.merchant.name, "may_change": visit.may(Act.CHANGE_LOOK)},
    )
)
