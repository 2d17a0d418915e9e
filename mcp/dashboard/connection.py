"""One connection: what it may do, what it did last, and changing, stopping and ending it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from mcp.dashboard.forms import Form, limits_as_typed, read_limits
from mcp.dashboard.held import held_lines
from mcp.dashboard.sight import connection_at, connection_line, decides, is_over, permissions, policy_of
from mcp.dashboard.words import line_of, plain
from mcp.facts import facts_of
from mcp.models import AgentConnection, AgentRecord
from mcp.services import connections
from merchants.site import Visit, draw, site_of

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


@decides
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


@decides
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


@decides
def pause(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """Ask, then let no money leave through it."""
    connection = connection_at(visit, connection_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/agents/pause.html", _context(visit, connection))
    connections.pause_connection(connection, **_by(request, visit))
    return _done(request, visit, connection, "It is paused. No money leaves through it.")


@decides
def resume(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """Ask, then let money leave through it again."""
    connection = connection_at(visit, connection_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/agents/resume.html", _context(visit, connection))
    connections.resume_connection(connection, **_by(request, visit))
    return _done(request, visit, connection, "It may move money again, within its limits.")


@decides
def revoke(request: HttpRequest, visit: Visit, connection_id: int) -> HttpResponse:
    """Ask, then end it for good."""
    connection = connection_at(visit, connection_id)
    if request.method != "POST":
        return draw(request, visit, "dashboard/agents/revoke.html", _context(visit, connection))
    connections.revoke_connection(connection, **_by(request, visit))
    return _done(request, visit, connection, "It is revoked. Its next call is refused.")


def _context(visit: Visit, connection: AgentConnection) -> dict[str, Any]:
    return {"line": connection_line(connection, policy_of(visit))}


def _by(request: HttpRequest, visit: Visit) -> dict[str, Any]:
    return {"actor": visit.principal.actor, "facts": facts_of(request)}


def _done(request: HttpRequest, visit: Visit, connection: AgentConnection, said: str) -> HttpResponse:
    messages.success(request, said)
    return redirect(site_of(visit).url("agent", connection_id=connection.pk))
