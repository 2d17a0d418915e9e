"""The list of connected agents, what holds for all of them, and the switch that stops them."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from dashboard.agents.forms import Form, bounds_as_typed, read_bounds
from dashboard.agents.lines import connection_line, connections_of, is_over, permissions, policy_of
from dashboard.agents.words import money_words
from dashboard.page import draw
from dashboard.visit import Visit
from mcp.facts import facts_of
from mcp.models import AgentPolicy
from mcp.services.policies import change_bounds, pause_all, resume_all

SHOWN = 100


def list_agents(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Every connection of this merchant and mode: those that work first, newest first."""
    policy = policy_of(visit)
    found = sorted(connections_of(visit).order_by("-pk")[: SHOWN + 1], key=is_over)
    context = {
        "lines": [connection_line(connection, policy) for connection in found[:SHOWN]],
        "has_more": len(found) > SHOWN,
        "policy": policy,
        "bounds": bound_words(policy),
        "base_url": settings.BASE_URL,
        **permissions(visit),
    }
    return draw(request, visit, "dashboard/agents/list.html", context)


def bound_words(policy: AgentPolicy | None) -> list[tuple[str, str]]:
    """What holds for all agents together, each with its name."""
    per_hour = None if policy is None else policy.per_hour_count
    return [
        ("24 hours", money_words(None if policy is None else policy.per_day_usd)),
        ("An hour", "no limit" if per_hour is None else f"{per_hour} times"),
    ]


def limit_all(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask what all agents together may send, and let it hold."""
    form = Form(bounds_as_typed(policy_of(visit)))
    if request.method == "POST":
        form = Form(request.POST.dict())
        bounds = read_bounds(form)
        if bounds is not None:
            change_bounds(visit.principal, bounds, facts_of(request))
            messages.success(request, "These limits now hold for all agents together.")
            return to_agents(visit)
    return draw(request, visit, "dashboard/agents/bounds.html", {"form": form}, status=400 if form.faults else 200)


def stop_all(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask, then stop every agent's money at once."""
    if request.method != "POST":
        return draw(request, visit, "dashboard/agents/pause_all.html", {})
    pause_all(visit.principal, facts_of(request))
    messages.success(request, f"All {visit.mode} agents are paused. No money leaves through them.")
    return to_agents(visit)


def restart_all(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask, then let agents move money again."""
    if request.method != "POST":
        return draw(request, visit, "dashboard/agents/resume_all.html", {})
    resume_all(visit.principal, facts_of(request))
    messages.success(request, f"{visit.mode.capitalize()} agents may move money again, within their limits.")
    return to_agents(visit)


def to_agents(visit: Visit) -> HttpResponse:
    """Back to the list."""
    return redirect(visit.url("agents"))
