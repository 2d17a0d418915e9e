"""Which access tokens open the agents' door. Source: docs/adr/0021."""

import hashlib
from typing import Final

from django.db.models import OuterRef, Q, QuerySet, Subquery

from core.clock import now
from core.modes import Mode
from mcp.granting import may_grant
from mcp.models import AccessToken
from mcp.oauth.resource import RESOURCE
from mcp.scopes import Scope
from merchants.accounts import may_go_live
from merchants.models import Membership

MAX_ACCESS_TOKEN_LENGTH: Final = 512
"""Ours have 30 characters; what is longer is not worth a digest."""


def believed_access_token(raw: str) -> AccessToken | None:
    """The access token that ``raw`` is, with connection, merchant, client and user loaded; None if it opens nothing.

    It must have been issued for exactly this resource, to a person who is active and still of the merchant's team,
    under a connection that is neither revoked nor over. A registration token has no person, so it never passes.
    """
    if not raw or len(raw) > MAX_ACCESS_TOKEN_LENGTH:
        return None
    found: AccessToken | None = _alive().filter(token_checksum=digest(raw)).first()
    if found is None or found.connection is None or found.resource != [RESOURCE]:
        return None
    same_client = found.application_id == found.connection.application_id
    return found if same_client and found.user_id == found.connection.user_id else None


def lent_now(token: AccessToken) -> frozenset[Scope]:
    """What the person may still lend, by their role now, of a token that was just believed.

    Nothing of live mode once they have no second factor and it asks for one.
    """
    is_live = token.connection is not None and token.connection.mode == Mode.LIVE
    if is_live and not may_go_live(token.user):
        return frozenset()
    return may_grant(token.lender_role)


def digest(raw: str) -> str:
    """What the database keeps of a code or an access token."""
    return hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()


def _alive() -> QuerySet[AccessToken]:
    moment = now()
    memberships = Membership.objects.filter(user=OuterRef("user"), merchant=OuterRef("connection__merchant"))
    alive: QuerySet[AccessToken] = (
        AccessToken.objects.select_related("connection__merchant", "connection__application", "user")
        .filter(Q(connection__expires_at__isnull=True) | Q(connection__expires_at__gt=moment))
        .annotate(lender_role=Subquery(memberships.values("role")[:1]))
        .filter(
            lender_role__isnull=False,
            expires__gt=moment,
            user__is_active=True,
            connection__isnull=False,
            connection__revoked_at__isnull=True,
        )
    )
    return alive
