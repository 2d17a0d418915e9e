"""The screens of a merchant's own account: first steps and API keys. Every button calls a service."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from core.clock import now
from core.modes import Mode
from merchants.accounts import has_second_factor
from merchants.errors import KeyPairChanged
from merchants.guards import confirmed, lacks_second_factor
from merchants.models import ApiKey, KeyKind, Role
from merchants.services import current_keys, revoke_key, roll_key_pair
from merchants.site import Page, Panel, Visit, draw, register_panel, site_of

MAY_CHANGE_KEYS = frozenset({Role.OWNER, Role.ADMIN, Role.DEVELOPER})
GRACE_HOURS = {
    "24": "After 24 hours, so that you can deploy in peace",
    "1": "After 1 hour",
    "72": "After 3 days",
    "0": "At once, because somebody else may know them",
}
"""How long rolled keys go on working; the first is the suggestion. Source: experience, Dashboard D6."""
EARLIER_KEYS_SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class KeyLine:
    """One key as the dashboard shows it: a secret key only by its last four characters."""

    id: int
    name: str
    shown: str
    is_public: bool
    created_at: datetime
    last_used_at: datetime | None
    ends_at: datetime | None
    status: str
    tone: str
    works: bool


def key_line(key: ApiKey) -> KeyLine:
    """What may be shown of a key."""
    status, tone = _status(key)
    return KeyLine(
        id=key.pk,
        name=KeyKind(key.kind).label,
        shown=key.publishable_value or str(key),
        is_public=bool(key.publishable_value),
        created_at=key.created_at,
        last_used_at=key.last_used_at,
        ends_at=key.expires_at if key.revoked_at is None else None,
        status=status,
        tone=tone,
        works=tone != "bad",
    )


def _status(key: ApiKey) -> tuple[str, str]:
    if key.revoked_at is not None:
        return "Revoked", "bad"
    if key.expires_at is None:
        return "In use", "ok"
    return ("Ending", "warn") if key.expires_at > now() else ("Ended", "bad")


def first_steps(visit: Visit) -> dict[str, object]:
    """What a newcomer does first, ticked from what really happened."""
    secret = _current(visit, KeyKind.SECRET)
    return {
        "secret": secret,
        "base_url": settings.BASE_URL,
        "key_was_used": ApiKey.objects.visible_to(visit.principal).exclude(last_used_at=None).exists(),
        "demo_shop": settings.DEMO_SHOP and visit.mode == Mode.TEST,
        "has_second_factor": has_second_factor(visit.person),
    }


def keys_in_use(visit: Visit) -> dict[str, object]:
    """The current pair."""
    return {
        "keys": [key_line(key) for key in current_keys(visit.merchant, visit.mode)],
        "may_change": visit.role in MAY_CHANGE_KEYS,
    }


def _current(visit: Visit, kind: KeyKind) -> ApiKey | None:
    return current_keys(visit.merchant, visit.mode).filter(kind=kind).last()


def show_keys(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The current pair, then every earlier key of this merchant and mode, newest first."""
    current = current_keys(visit.merchant, visit.mode).values("pk")
    earlier = ApiKey.objects.visible_to(visit.principal).exclude(pk__in=current).order_by("-pk")[:EARLIER_KEYS_SHOWN]
    context = {
        **keys_in_use(visit),
        "earlier_keys": [key_line(key) for key in earlier],
        "needs_second_factor": lacks_second_factor(visit),
    }
    return draw(request, visit, "dashboard/keys.html", context)


changes_keys = confirmed(
    MAY_CHANGE_KEYS, without_factor="Add a second factor first: live keys can only be changed with one."
)
"""Why: a key acts for the merchant."""


@changes_keys
def roll_keys(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask for the grace, then replace the pair and show the new one in this answer only."""
    if request.method == "POST" and request.POST.get("grace") in GRACE_HOURS:
        return _show_new_pair(request, visit)
    secret = _current(visit, KeyKind.SECRET)
    context = {"shown_key_id": secret.pk if secret else 0, "graces": GRACE_HOURS, **keys_in_use(visit)}
    return draw(request, visit, "dashboard/roll_keys.html", context)


def _show_new_pair(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Why no redirect: the secret key exists in clear only here, and a session would keep a copy of it."""
    shown = request.POST.get("shown_key_id", "")
    hours = int(request.POST["grace"])
    try:
        pair = roll_key_pair(
            visit.merchant,
            visit.mode,
            timedelta(hours=hours),
            shown_key_id=int(shown) if shown.isascii() and shown.isdecimal() else -1,
        )
    except KeyPairChanged:
        messages.warning(request, KeyPairChanged.message)
        return redirect(site_of(visit).url("keys"))
    context = {"pair": pair, "hours": hours, "base_url": settings.BASE_URL}
    return draw(request, visit, "dashboard/new_keys.html", context)


@changes_keys
def end_key(request: HttpRequest, visit: Visit, key_id: int) -> HttpResponse:
    """Ask, then stop one key at once."""
    key = ApiKey.objects.visible_to(visit.principal).filter(pk=key_id, revoked_at=None).first()
    if key is None:
        raise Http404
    if request.method != "POST":
        return draw(request, visit, "dashboard/revoke_key.html", {"key": key_line(key)})
    revoke_key(key)
    messages.success(request, f"{key} is revoked. Requests with it are refused from now on.")
    return redirect(site_of(visit).url("keys"))


register_panel(Panel(position=10, template="dashboard/panels/first_steps.html", context=first_steps))
register_panel(
    Panel(
        position=20,
        template="dashboard/panels/keys.html",
        context=keys_in_use,
        pages=(
            Page(path="keys/", name="keys", view=show_keys, menu="API keys"),
            Page(path="keys/roll/", name="roll_keys", view=roll_keys),
            Page(path="keys/<int:key_id>/revoke/", name="revoke_key", view=end_key),
        ),
    )
)
