"""The names of agents, for pages that tell who did something."""

from mcp.dashboard.words import client_of, plain
from mcp.models import AgentConnection
from merchants.actors import numbers_of
from merchants.site import Visit


def agents_names(visit: Visit, actors: frozenset[str]) -> dict[str, str]:
    """What the merchant, or else its client, calls each of these agents."""
    numbers = numbers_of(actors, "agent")
    if not numbers:
        return {}
    mine = AgentConnection.objects.filter(merchant=visit.merchant, pk__in=numbers).select_related("application")
    return {one.actor: f"agent {plain(one.name) or client_of(one).name}" for one in mine}
