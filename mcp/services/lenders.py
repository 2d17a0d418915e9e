"""Whether whoever lent a connection may still lend what it has: asked wherever money is let through, and by a sweep.

Who lost the right gets nothing back by regaining it: what they lent is revoked for good. Source: docs/adr/0047.
"""

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Cast

from mcp.granting import may_grant
from mcp.models import AgentConnection, RevokedBecause
from mcp.scopes import Scope
from merchants.models import Membership, Role

BATCH = 200
_KNOWN = frozenset(Scope)


def lost_right(connection: AgentConnection) -> RevokedBecause | None:
    """Why its lender could not allow it today; None where they could."""
    memberships = Membership.objects.filter(user=connection.user_id, merchant=connection.merchant_id)
    membership = memberships.values_list("role", "user__is_active").first()
    if membership is None:
        return RevokedBecause.LENDER_LEFT
    role, is_active = membership
    if not is_active:
        return RevokedBecause.LENDER_INACTIVE
    lent = _KNOWN.intersection(connection.scopes)
    return None if lent <= may_grant(role) else RevokedBecause.LENDER_ROLE


def lent_by(user_id: int, merchant_id: int) -> QuerySet[AgentConnection]:
    """What somebody lent of a merchant and nobody has revoked, also what is expired: it may have ordered something."""
    mine = AgentConnection.objects.filter(user=user_id, merchant=merchant_id, revoked_at=None)
    found: QuerySet[AgentConnection] = mine.order_by("pk")
    return found


def without_lender() -> list[AgentConnection]:
    """Connections whose lender lost the right and that nobody has revoked yet, at most a batch of them."""
    memberships = Membership.objects.filter(user=OuterRef("user"), merchant=OuterRef("merchant"))
    fallen = Q()
    for role in Role:
        beyond = Q()
        for scope in _KNOWN - may_grant(role):
            beyond |= Q(scopes_text__contains=f'"{scope.value}"')
        fallen |= Exists(memberships.filter(role=role)) & beyond if beyond else Q()
    lost = ~Exists(memberships) | Q(user__is_active=False) | fallen
    alive = AgentConnection.objects.filter(revoked_at=None).annotate(scopes_text=Cast("scopes", CharField()))
    return list(alive.filter(lost).order_by("pk")[:BATCH])
