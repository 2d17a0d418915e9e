"""The pages that may use publishable keys, and those that were refused because nobody had listed them."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import InvalidRequest
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.acts import Act
from merchants.errors import OriginLimit
from merchants.models import AllowedOrigin, RefusedOrigin
from merchants.services.origins import MOST_ORIGINS, allow_origin, remove_origin

REFUSED_SHOWN = 50


def show_origins(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What is listed, and what was refused, last ones first."""
    context = {
        "origins": list(AllowedOrigin.objects.visible_to(visit.principal).order_by("pk")),
        "refused": list(RefusedOrigin.objects.visible_to(visit.principal).order_by("-last_at", "-pk")[:REFUSED_SHOWN]),
        "most": MOST_ORIGINS,
        "may_change": visit.may(Act.CHANGE_KEYS),
    }
    return draw(request, visit, "dashboard/origins/list.html", context)


def allow(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask which origin, then list it. A refused one is filled in."""
    if request.method != "POST":
        return draw(request, visit, "dashboard/origins/allow.html", {"origin": request.GET.get("origin", "")[:300]})
    typed = request.POST.get("origin", "")
    try:
        listed = allow_origin(visit.principal, typed)
    except (InvalidRequest, OriginLimit) as refusal:
        fields: list[Any] = refusal.details.get("fields", [])
        context = {"origin": typed[:300], "fault": str(fields[0]["message"]) if fields else refusal.message}
        return draw(request, visit, "dashboard/origins/allow.html", context, status=400)
    messages.success(request, f"{listed} is allowed from now on.")
    return redirect(visit.url("origins"))


def remove(request: HttpRequest, visit: Visit, origin_id: int) -> HttpResponse:
    """Ask, then take an origin off the list."""
    row = AllowedOrigin.objects.visible_to(visit.principal).filter(pk=origin_id).first()
    if row is None:
        raise Http404
    if request.method != "POST":
        is_last = AllowedOrigin.objects.visible_to(visit.principal).count() == 1
        return draw(request, visit, "dashboard/origins/remove.html", {"row": row, "is_last": is_last})
    origin = remove_origin(visit.principal, origin_id)
    messages.success(request, f"{origin} is off the list. Pages there are refused from now on.")
    return redirect(visit.url("origins"))
