"""One connection: what it may do, what it did last, and changing, stopping and ending it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from dashboard.agents.forms import Form, limits_as_typed, read_limits
from dashboard.agents.held import held_lines
from dashboard.agents.lines import connection_at, connection_line, is_over, permissions, policy_of
from dashboard.agents.words import line_of, plain
from dashboard.page import draw
from dashboard.visit import Visit
from mcp.facts import facts_of
from mcp.models import AgentConnection, AgentRecord
from mcp.services import connections

LAST_ACTIONS = 20
NAME_LENGTH = 80


def show_connection(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """What it may do, and its last actions."""
    connection = connection_at(visit, connection_id)
    records = AgentRecord.objects.visible_to(visit.principal).filter(connection_id=connection.pk).order_by("-pk")
    context = {
        **_context(visit, connection),
        "held": held_lines(visit, connection),
        "actions": [line_of(record) for record in records[:LAST_ACTIONS]],
        **permissions(visit),
    }
    return draw(request, visit, "dashboard/agents/connection.html", context)


def limit(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """Ask what it may send, and let it hold."""
    connection = connection_at(visit, connection_id)
    form = Form(limits_as_typed(connection))
    if request.method == "POST" and not is_over(connection):
        form = Form(request.POST.dict())
        limits = read_limits(form)
        if limits is not None:
            connections.change_limits(connection, limits, **_by(request, visit))
            return _done(request, visit, connection, "These limits now hold.")
    context = {**_context(visit, connection), "form": form}
    return draw(request, visit, "dashboard/agents/limits.html", context, status=400 if form.faults else 200)


def rename(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """Ask what to call it, and call it that."""
    connection = connection_at(visit, connection_id)
    name = plain(request.POST.get("name", connection.name).strip())
    if request.method == "POST" and name:
        connections.rename_connection(connection, name, **_by(request, visit))
        return _done(request, visit, connection, f"It is now called {name}.")
    context = {**_context(visit, connection), "name": name, "is_empty": request.method == "POST"}
    return draw(
        request, visit, "dashboard/agents/rename.html", context, status=400 if request.method == "POST" else 200
    )


def pause(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """Ask, then let no money leave through it."""
    message = "It is paused. No money leaves through it."
    return _asked_first(request, visit, connection_id, Step("pause", connections.pause_connection, message))


def resume(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """Ask, then let money leave through it again."""
    message = "It may move money again, within its limits."
    return _asked_first(request, visit, connection_id, Step("resume", connections.resume_connection, message))


def revoke(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """Ask, then end it for good."""
    message = "It is revoked. Its next call is refused."
    return _asked_first(request, visit, connection_id, Step("revoke", connections.revoke_connection, message))


class Step(NamedTuple):
    """What a person does to a connection once asked: the page that asks, the service, and the message after it."""

    page: str
    take: Callable[..., AgentConnection]
    message: str


def _asked_first(request: HttpRequest, visit: Visit, connection_id: int, step: Step) -> HttpResponse:
    connection = connection_at(visit, connection_id)
    if request.method != "POST":
        return draw(request, visit, f"dashboard/agents/{step.page}.html", _context(visit, connection))
    step.take(connection, **_by(request, visit))
    return _done(request, visit, connection, step.message)


def _context(visit: Visit, connection: AgentConnection) -> dict[str, Any]:
    return {"line": connection_line(connection, policy_of(visit))}


def _by(request: HttpRequest, visit: Visit) -> dict[str, Any]:
    return {"actor": visit.principal.actor, "facts": facts_of(request)}


def _done(request: HttpRequest, visit: Visit, connection: AgentConnection, message: str) -> HttpResponse:
    messages.success(request, message)
    return redirect(visit.url("agent", connection_id=connection.pk))
