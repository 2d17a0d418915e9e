"""What may be done in a person's name, by role, scope and mode: by a key here, by an agent in ``mcp.granting``. Pure.

Why live mode apart: a key does what its scopes say without asking who made it, so nobody whose own role does not reach
live money makes one that does. Source: docs/reach.md (written from here).
"""

from collections.abc import Iterable, Mapping
from typing import Final

from core.modes import Mode
from merchants.acts import PERMISSIONS, Act
from merchants.models import KeyKind, Role
from merchants.scopes import KeyScope

ACT_OF_SCOPE: Final[Mapping[str, Act | None]] = {
    "payment_intents:read": None,
    "tokens:read": None,
    "webhooks:verify": None,
    "customer_data:read": Act.SEE_CUSTOMERS,
    "payment_intents:write": Act.CHANGE_PAYMENTS,
    "refunds:write": Act.MOVE_MONEY,
    "payouts:write": Act.MOVE_MONEY,
}
"""What a person does on the dashboard where a key or an agent has the scope. None: look around, as every role may."""
_BUILDERS: Final = PERMISSIONS[Act.CHANGE_KEYS].roles


def roles_within(scope: str) -> frozenset[Role]:
    """Who may do by hand what a scope allows."""
    act = ACT_OF_SCOPE[scope]
    return frozenset(Role) if act is None else PERMISSIONS[act].roles


ROLES_OF_KEYS: Final[Mapping[Mode, Mapping[KeyScope, frozenset[Role]]]] = {
    mode: {scope: _BUILDERS & roles_within(scope) if mode == Mode.LIVE else _BUILDERS for scope in KeyScope}
    for mode in Mode
}
"""Who may make, change, roll or end a key with a scope."""


def scopes_within_reach(role: Role, mode: Mode) -> tuple[KeyScope, ...]:
    """The scopes that a key of this person's may have."""
    return tuple(scope for scope in KeyScope if role in ROLES_OF_KEYS[mode][scope])


def reaches(role: Role, mode: Mode, kind: KeyKind, scopes: Iterable[str]) -> bool:
    """Whether a key of this kind is within a role's reach. A secret key has every scope.

    Why a publishable one counts like it: it has none, but ending it stops every checkout that is embedded with it.
    """
    needed = set(scopes) if kind == KeyKind.RESTRICTED else set(KeyScope)
    return role in _BUILDERS and needed <= set(scopes_within_reach(role, mode))
