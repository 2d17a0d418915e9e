"""What a member of a merchant's team may lend to an agent, by role. Pure.

Why asked again at every call: whose role falls after consenting lends no more than the new role may.
"""

from collections.abc import Mapping
from typing import Final

from mcp.scopes import BASIC_SCOPES, Scope
from merchants.acts import PERMISSIONS, Act
from merchants.models import Role

_EVERYTHING: Final = frozenset(Scope)
_READING: Final = frozenset(BASIC_SCOPES)
_BY_ROLE: Final[Mapping[Role, frozenset[Scope]]] = {
    **dict.fromkeys(PERMISSIONS[Act.MOVE_MONEY].roles, _EVERYTHING),
    Role.DEVELOPER: _READING | {Scope.READ_CUSTOMERS, Scope.WRITE_INTENTS},
    Role.SUPPORT: _READING | {Scope.READ_CUSTOMERS},
    Role.VIEWER: _READING,
}


def may_grant(role: str) -> frozenset[Scope]:
    """The scopes that a role may lend; scopes that move money are for those who may move it themselves."""
    return _BY_ROLE.get(Role(role), frozenset())
