"""API keys: the pair in use, restricted keys, and those that end or have ended. Every button calls a service.

Secret and restricted keys are shown only by their last four characters.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse

from core.clock import now
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.acts import Act
from merchants.models import ApiKey, KeyKind
from merchants.reach import reaches
from merchants.scopes import KEY_SCOPE_TEXTS, KeyScope
from merchants.services import current_keys, working_keys
from merchants.services.keys import MOST_RESTRICTED_KEYS

ENDED_KEYS_SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class KeyLine:
    """One key as the dashboard shows it. ``name`` is its kind, ``given_name`` what somebody called it."""

    id: int
    name: str
    given_name: str
    shown: str
    is_public: bool
    is_restricted: bool
    created_at: datetime
    last_used_at: datetime | None
    last_used_address: str
    ends_at: datetime | None
    status: str
    tone: str
    works: bool
    is_within_reach: bool
    may_be_changed: bool
    scopes: tuple[tuple[str, str], ...]
    addresses: tuple[str, ...]


def show_keys(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The current pair, restricted keys, keys in their grace, then what has ended, newest first."""
    working = working_keys(visit.principal)
    restricted = working.filter(kind=KeyKind.RESTRICTED, replaced_at=None).order_by("-pk")
    over = Q(expires_at__lte=now()) | ~Q(revoked_at=None)
    ended = ApiKey.objects.visible_to(visit.principal).filter(over).order_by("-pk")[:ENDED_KEYS_SHOWN]
    context = {
        **keys_in_use(visit),
        "restricted_keys": [key_line(key, visit) for key in restricted[:MOST_RESTRICTED_KEYS]],
        "ending_keys": [key_line(key, visit) for key in working.exclude(replaced_at=None).order_by("-pk")],
        "ended_keys": [key_line(key, visit) for key in ended],
    }
    return draw(request, visit, "dashboard/keys.html", context)


def show_key(request: HttpRequest, visit: Visit, key_id: int) -> HttpResponse:
    """One key: what is agreed about it, and when it was used last."""
    key = ApiKey.objects.visible_to(visit.principal).select_related("rolled_from").filter(pk=key_id).first()
    if key is None:
        raise Http404
    successor = ApiKey.objects.visible_to(visit.principal).filter(rolled_from=key).first()
    context = {
        "key": key_line(key, visit),
        "before": key.rolled_from,
        "after": successor,
        "may_roll_pair": reaches(visit.role, visit.mode, KeyKind.SECRET, ()),
        "may_see_requests": visit.may(Act.SEE_REQUESTS),
    }
    return draw(request, visit, "dashboard/keys/one.html", context)


def key_line(key: ApiKey, visit: Visit) -> KeyLine:
    """What may be shown of a key, and whether the visitor may change it."""
    status, tone = _status(key)
    return KeyLine(
        id=key.pk,
        name=KeyKind(key.kind).label,
        given_name=key.name,
        shown=key.publishable_value or str(key),
        is_public=bool(key.publishable_value),
        is_restricted=key.kind == KeyKind.RESTRICTED,
        created_at=key.created_at,
        last_used_at=key.last_used_at,
        last_used_address=key.last_used_address,
        ends_at=key.revoked_at or key.expires_at,
        status=status,
        tone=tone,
        works=tone != "bad",
        is_within_reach=reaches(visit.role, visit.mode, KeyKind(key.kind), key.scopes),
        may_be_changed=tone != "bad" and key.replaced_at is None,
        scopes=tuple((str(scope), KEY_SCOPE_TEXTS[scope]) for scope in KeyScope if scope in key.scopes),
        addresses=tuple(key.allowed_addresses),
    )


def _status(key: ApiKey) -> tuple[str, str]:
    """A word and its tone; ``bad`` stands for keys that nobody takes any more."""
    if key.revoked_at is not None:
        return "Revoked", "bad"
    if key.expires_at is not None and key.expires_at <= now():
        return ("Expired" if key.replaced_at is None else "Ended"), "bad"
    return ("In use", "ok") if key.replaced_at is None else ("Ending", "warn")


def keys_in_use(visit: Visit) -> dict[str, object]:
    """The current pair."""
    return {
        "keys": [key_line(key, visit) for key in current_keys(visit.merchant, visit.mode)],
        "may_change": visit.may(Act.CHANGE_KEYS),
        "may_roll_pair": reaches(visit.role, visit.mode, KeyKind.SECRET, ()),
    }


def current_key(visit: Visit, kind: KeyKind) -> ApiKey | None:
    """The key of a kind that is in use and that nothing has replaced."""
    return current_keys(visit.merchant, visit.mode).filter(kind=kind).last()
