"""Who did something, in words: histories hold ``user:3``, ``key:12``, ``agent:5``, ``payer`` or ``worker``."""

from collections.abc import Iterable, Mapping

from django.db.models import Value

from dashboard.agents.words import client_of, plain
from dashboard.visit import Visit
from mcp.models import AgentConnection
from merchants.models import ApiKey, Membership

PARTIES = {"payer": "the payer", "worker": "Causeway", "visitor": "somebody unknown", "": ""}
KINDS = {
    "user": "somebody who left the team",
    "key": "an API key",
    "agent": "an agent",
    "policy": "your setting",
    "operator": "the operator of this service",
}
_ID_DIGITS = 18


def actor_words(visit: Visit, actors: Iterable[str]) -> Mapping[str, str]:
    """The words for each of these actors, as far as the visitor's own merchant knows them."""
    asked = frozenset(actors)
    words = {actor: PARTIES.get(actor) or KINDS.get(actor.partition(":")[0], actor) for actor in asked}
    claimants = [actor for actor in asked if actor.startswith("payer:")]
    payers = {actor: f"the payer’s wallet {actor.removeprefix('payer:')}" for actor in claimants}
    return words | people_and_keys(visit, asked) | payers | _agents(visit, asked)


def numbers_of(actors: Iterable[str], kind: str) -> list[int]:
    """The numbers of the actors of one kind. Why bounded: what stands in a history may be any text."""
    found = (actor.removeprefix(f"{kind}:") for actor in actors if actor.startswith(f"{kind}:"))
    return [int(number) for number in found if number.isascii() and number.isdecimal() and len(number) <= _ID_DIGITS]


def people_and_keys(visit: Visit, actors: frozenset[str]) -> dict[str, str]:
    """The addresses of the team's people, and the ends of the merchant's keys; one query."""
    words = {f"user:{visit.person.pk}": visit.person.email}
    people, keys = numbers_of(actors - set(words), "user"), numbers_of(actors, "key")
    if not people and not keys:
        return words
    team = Membership.objects.filter(merchant=visit.merchant, user_id__in=people)
    own = ApiKey.objects.filter(merchant=visit.merchant, pk__in=keys)
    named = team.values_list(Value("user"), "user_id", "user__email")
    for kind, number, name in named.union(own.values_list(Value("key"), "pk", "last_four"), all=True):
        words[f"{kind}:{number}"] = name if kind == "user" else f"API key …{name}"
    return words


def _agents(visit: Visit, actors: frozenset[str]) -> dict[str, str]:
    """What the merchant, or else its client, calls each of these agents; one query where there are any."""
    numbers = numbers_of(actors, "agent")
    if not numbers:
        return {}
    mine = AgentConnection.objects.filter(merchant=visit.merchant, pk__in=numbers).select_related("application")
    return {one.actor: f"agent {plain(one.name) or client_of(one).name}" for one in mine}
