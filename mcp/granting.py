"""What a member of a merchant's team may lend to an agent, by role. Pure.

Why asked again at every call: whose role falls after consenting lends no more than the new role may.
"""

from collections.abc import Mapping
from typing import Final

from mcp.scopes import Scope
from merchants.models import Role
from merchants.reach import roles_within

_BY_ROLE: Final[Mapping[Role, frozenset[Scope]]] = {
    role: frozenset(scope for scope in Scope if role in roles_within(scope)) for role in Role
}


def may_grant(role: str) -> frozenset[Scope]:
    """The scopes that a role may lend: those whose deed is its own."""
    return _BY_ROLE.get(Role(role), frozenset())
