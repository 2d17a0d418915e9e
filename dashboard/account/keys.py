"""API keys: the pair in use, restricted keys, and those that end or have ended. Every button calls a service."""

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse

from core.clock import now
from dashboard.account.key_lines import key_line, keys_in_use
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.acts import Act
from merchants.models import ApiKey, KeyKind
from merchants.reach import reaches
from merchants.services import working_keys
from merchants.services.keys import MOST_RESTRICTED_KEYS

ENDED_KEYS_SHOWN = 50


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
