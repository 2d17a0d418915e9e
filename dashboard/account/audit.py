"""The audit log: who changed what, from what to what, from where. Filtered, in pages, and as a file."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from core.clock import wire_time
from core.csv_export import csv_answer
from core.filters import DAY, Filter, Reader
from dashboard.account.audit_words import ACTION_WORDS, BAD, Difference, action_words, device_words, differences
from dashboard.actors import actor_words, numbers_of
from dashboard.page import draw
from dashboard.visit import Visit
from merchants.models import Change, User

PAGE, CHUNK, CHOICES = 50, 1000, 200
HEAD: Final = (
    *("time", "mode", "who", "actor", "what", "deed", "about", "before", "after"),
    *("address", "user_agent", "request_id"),
)
_ACTOR = re.compile(r"[a-z-]{1,16}(:[0-9a-zA-Z-]{1,64})?")
_ACTION = re.compile(r"[a-z_.]{1,48}")


class Line(NamedTuple):
    """One line as people read it."""

    change: Change
    who: str
    what: str
    tone: str
    about: str
    differences: list[Difference]
    device: str


_READERS = {
    "who": Reader(
        read=lambda text: {"actor": text} if _ACTOR.fullmatch(text) else {}, fault="There is nobody like that."
    ),
    "deed": Reader(
        read=lambda text: {"action": text} if _ACTION.fullmatch(text) else {}, fault="There is no such deed."
    ),
    "day": DAY,
}


def show_audit(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The newest lines that are asked for, and the way to older ones."""
    wanted = Filter(request.GET.dict(), _READERS)
    found = list(_changes(visit, wanted).filter(**wanted.before())[: PAGE + 1])
    names = names_of(visit, {change.actor for change in found})
    team = visit.merchant.memberships.order_by("user__email", "pk").values_list("user_id", "user__email")[:CHOICES]
    lines = [
        Line(
            change=change,
            who=names.get(change.actor, change.actor),
            what=action_words(change.action),
            tone="bad" if change.action in BAD else "",
            about="" if change.subject == names.get(change.actor) else change.subject,
            differences=differences(change.before, change.after),
            device=device_words(change.user_agent),
        )
        for change in found[:PAGE]
    ]
    context = {
        "lines": lines,
        "older": f"?{wanted.older_than(found[PAGE - 1].pk)}" if len(found) > PAGE else "",
        "newest": f"?{wanted.query}" if wanted.before() else "",
        "wanted": wanted,
        "people": [(f"user:{number}", email) for number, email in team],
        "actions": sorted(ACTION_WORDS.items(), key=lambda one: one[1]),
    }
    return draw(request, visit, "dashboard/audit/log.html", context, status=400 if wanted.faults else 200)


def export_audit(request: HttpRequest, visit: Visit) -> StreamingHttpResponse | HttpResponse:
    """Everything that is asked for as a file, however long. Newest first."""
    wanted = Filter(request.GET.dict(), _READERS)
    changes = _changes(visit, wanted)
    if wanted.faults:
        return show_audit(request, visit)
    return csv_answer(f"audit-log-{visit.mode}", HEAD, _rows(visit, changes), whose=visit.person.pk)


def names_of(visit: Visit, actors: Iterable[str]) -> dict[str, str]:
    """Who these actors are. Why also people who left: what they did for this merchant stays theirs."""
    words = dict(actor_words(visit, actors))
    team = frozenset(visit.merchant.memberships.values_list("user_id", flat=True))
    gone = [number for number in numbers_of(words, "user") if number not in team]
    if gone:
        left = User.objects.filter(pk__in=gone).values_list("pk", "email")
        words |= {f"user:{number}": f"{email} (left the team)" for number, email in left}
    return words


def _changes(visit: Visit, wanted: Filter) -> Any:
    return Change.objects.visible_to(visit.principal).filter(**wanted.conditions()).order_by("-pk")


def _rows(visit: Visit, changes: Any) -> Iterator[tuple[object, ...]]:
    names: dict[str, str] = {}
    for change in changes.iterator(chunk_size=CHUNK):
        if change.actor not in names:
            names |= names_of(visit, [change.actor])
        yield (
            wire_time(change.created_at),
            change.mode or "both",
            names[change.actor],
            change.actor,
            action_words(change.action),
            change.action,
            change.subject,
            json.dumps(change.before, sort_keys=True) if change.before else "",
            json.dumps(change.after, sort_keys=True) if change.after else "",
            change.address,
            change.user_agent,
            change.request_id,
        )
