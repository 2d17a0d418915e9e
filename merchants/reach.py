"""What may be done in a person's name by a key, by role, scope and mode. Pure. Agents ask ``mcp.granting``.

Why live mode apart: a key does what its scopes say without asking who made it, so nobody whose own role does not reach
live money makes one that does. Source: docs/dashboard.md, API keys.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from core.modes import Mode
from merchants.acts import PERMISSIONS, Act
from merchants.models import KeyKind, Role
from merchants.scopes import KeyScope

MONEY_SCOPES: Final = frozenset({KeyScope.WRITE_REFUNDS, KeyScope.WRITE_PAYOUTS})
_BUILDERS: Final = PERMISSIONS[Act.CHANGE_KEYS].roles
_MOVERS: Final = _BUILDERS & PERMISSIONS[Act.MOVE_MONEY].roles

ROLES_OF_KEYS: Final[Mapping[Mode, Mapping[KeyScope, frozenset[Role]]]] = {
    mode: {scope: _MOVERS if mode == Mode.LIVE and scope in MONEY_SCOPES else _BUILDERS for scope in KeyScope}
    for mode in Mode
}
"""Who may make, change, roll or end a key with a scope."""


def scopes_within_reach(role: Role, mode: Mode) -> tuple[KeyScope, ...]:
    """The scopes that a key of this person's may have."""
    return tuple(scope for scope in KeyScope if role in ROLES_OF_KEYS[mode][scope])


def reaches(role: Role, mode: Mode, kind: KeyKind, scopes: Iterable[str]) -> bool:
    """Whether a key of this kind is within a role's reach. A secret key has every scope, a publishable one has none."""
    needed = set(KeyScope) if kind == KeyKind.SECRET else set(scopes)
    return role in _BUILDERS and needed <= set(scopes_within_reach(role, mode))
