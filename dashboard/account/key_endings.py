"""Replacing keys and ending them: one, the pair, or all of them because one has leaked."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.errors import Conflict
from dashboard.account.key_forms import number_of, require_reach, show_new_key
from dashboard.account.keys import current_key, key_line, keys_in_use
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.models import ApiKey, KeyKind
from merchants.reach import reaches
from merchants.services import revoke_every_key, revoke_key, roll_key_pair, roll_restricted_key, working_keys
from merchants.services.keys import newest_key_id

GRACE_HOURS = {
    "24": "After 24 hours, so that you can deploy in peace",
    "1": "After 1 hour",
    "72": "After 3 days",
    "0": "At once, because somebody else may know them",
}
"""How long rolled keys go on working; the first is the suggestion. Source: docs/guides/dashboard.md, The dashboard."""


def require_reach_of_secret_key(visit: Visit) -> None:
    """Refuse to show a new secret key to who may not do all that it does. Raises: PermissionDenied."""
    if not reaches(visit.role, visit.mode, KeyKind.SECRET, ()):
        raise PermissionDenied


def roll_keys(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask for the grace, then replace the pair and show the new one in this answer only. Raises: PermissionDenied."""
    require_reach_of_secret_key(visit)
    if request.method == "POST" and request.POST.get("grace") in GRACE_HOURS:
        return _show_new_pair(request, visit)
    secret = current_key(visit, KeyKind.SECRET)
    context = {"shown_key_id": secret.pk if secret else 0, "graces": GRACE_HOURS, **keys_in_use(visit)}
    return draw(request, visit, "dashboard/roll_keys.html", context)


def _show_new_pair(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Why no redirect: the secret key exists in clear only here, and a session would keep a copy of it."""
    hours = int(request.POST["grace"])
    shown = number_of(request.POST.get("shown_key_id", ""))
    try:
        pair = roll_key_pair(visit.principal, timedelta(hours=hours), shown_key_id=shown)
    except Conflict as refusal:
        return _look_again(request, visit, refusal)
    context = {"pair": pair, "hours": hours, "base_url": settings.BASE_URL}
    return draw(request, visit, "dashboard/new_keys.html", context)


def roll_key(request: HttpRequest, visit: Visit, key_id: int) -> HttpResponse:
    """Ask for the grace, then replace one restricted key and show the new one in this answer only."""
    current = working_keys(visit.principal).filter(kind=KeyKind.RESTRICTED)
    key = current.filter(pk=key_id).first()
    if key is None:
        raise Http404
    require_reach(visit, key)
    if request.method != "POST" or request.POST.get("grace") not in GRACE_HOURS:
        return draw(request, visit, "dashboard/keys/roll.html", {"key": key_line(key, visit), "graces": GRACE_HOURS})
    hours = int(request.POST["grace"])
    try:
        made = roll_restricted_key(visit.principal, key, timedelta(hours=hours))
    except Conflict as refusal:
        return _look_again(request, visit, refusal)
    return show_new_key(request, visit, made.key, made.secret, hours)


def end_key(request: HttpRequest, visit: Visit, key_id: int) -> HttpResponse:
    """Ask, then stop one key at once."""
    key = ApiKey.objects.visible_to(visit.principal).filter(pk=key_id, revoked_at=None).first()
    if key is None:
        raise Http404
    require_reach(visit, key)
    if request.method != "POST":
        return draw(request, visit, "dashboard/revoke_key.html", {"key": key_line(key, visit)})
    revoke_key(visit.principal, key)
    messages.success(request, f"{key} is revoked. Requests with it are refused from now on.")
    return redirect(visit.url("keys"))


def end_every_key(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Say what stops working, then stop every key of the mode at once and show a fresh pair in this answer only.

    Raises: PermissionDenied.
    """
    require_reach_of_secret_key(visit)
    if request.method != "POST":
        lines = [key_line(key, visit) for key in working_keys(visit.principal).order_by("pk")]
        context = {"keys": lines, "shown_key_id": newest_key_id(visit.principal)}
        return draw(request, visit, "dashboard/keys/leaked.html", context)
    shown = number_of(request.POST.get("shown_key_id", ""))
    try:
        ended = revoke_every_key(visit.principal, shown_key_id=shown)
    except Conflict as refusal:
        return _look_again(request, visit, refusal)
    context = {"pair": ended.pair, "hours": 0, "ended": ended.ended, "base_url": settings.BASE_URL}
    return draw(request, visit, "dashboard/new_keys.html", context)


def _look_again(request: HttpRequest, visit: Visit, refusal: Conflict) -> HttpResponse:
    messages.warning(request, refusal.message)
    return redirect(visit.url("keys"))
