"""Pages of the service's state: how old the queues are, and what the last check of the invariants found."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.contrib.admin import site
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from core.clock import now
from core.dispatch import BEAT, WORKERS
from core.heartbeats import last_alive
from core.models import InvariantCheck
from operations.invariants import INVARIANTS
from operations.invariants.schedule import last_check, request_check
from operations.invariants.walk import newest_walk
from operations.readiness import DUE_ROW_MAY_BE_OLD, HEARTBEAT_MAY_BE_OLD, QUEUES

LATEST = 20


@dataclass(frozen=True, kw_only=True)
class QueueLine:
    """One queue: since when its oldest row is due, in seconds and in words."""

    name: str
    since: datetime | None
    seconds: int
    is_late: bool


def queue_lines() -> list[QueueLine]:
    """Every queue that the apps named, and the workers' own sign of life. One read each."""
    moment = now()
    return [_line(name, oldest(), moment, DUE_ROW_MAY_BE_OLD) for name, oldest in QUEUES.items()]


def worker_lines() -> list[QueueLine]:
    """When a worker of each kind last took a message, and when the clock last ticked."""
    moment = now()
    lines = [_line(name, last_alive(name), moment, HEARTBEAT_MAY_BE_OLD) for name in (*WORKERS, BEAT)]
    return [replace(line, is_late=line.is_late or line.since is None) for line in lines]


def _line(name: str, since: datetime | None, moment: datetime, limit: timedelta) -> QueueLine:
    age = timedelta(0) if since is None else max(moment - since, timedelta(0))
    return QueueLine(name=name, since=since, seconds=int(age.total_seconds()), is_late=age > limit)


def state_of_service() -> dict[str, Any]:
    """What the overview shows."""
    return {"queues": queue_lines(), "workers": worker_lines(), "check": last_check(), "checked": len(INVARIANTS)}


def show_queues(request: HttpRequest) -> HttpResponse:
    """The age of the oldest due row of every queue."""
    context = {**site.each_context(request), "title": "Queues", "queues": queue_lines(), "workers": worker_lines()}
    return TemplateResponse(request, "admin/queues.html", {**context, "limit": DUE_ROW_MAY_BE_OLD.seconds})


def show_invariants(request: HttpRequest) -> HttpResponse:
    """What the last checks found; a POST has a worker check now."""
    if request.method == "POST":
        request_check()
        messages.success(request, "A worker checks within a few seconds. Reload this page to see what it found.")
        return redirect("admin:invariants")
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "POST"])
    context = {
        **site.each_context(request),
        "title": "Invariants",
        "check": last_check(),
        "checked": len(INVARIANTS),
        "walk": newest_walk(),
        "checks": InvariantCheck.objects.order_by("-pk")[:LATEST],
    }
    return TemplateResponse(request, "admin/invariants.html", context)
