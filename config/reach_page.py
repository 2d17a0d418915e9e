"""docs/reach.md: who reaches what, made of the table that decides it."""

from collections.abc import Iterator
from pathlib import Path

from core.modes import Mode
from mcp.granting import may_grant
from mcp.scopes import Scope
from merchants.models import Role
from merchants.reach import ROLES_OF_KEYS, roles_within, scopes_within_reach
from merchants.scopes import KeyScope

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reach.md"
HEAD = """\
# Who reaches what

Written by `make reach` from `merchants/reach.py`; tests fail when it is not current, and try every cell at the doors.
People: what a role does on the dashboard. Keys: who may make, change, roll and end a key with that scope; in test mode
a builder may have any, for no money moves. Agents: who may lend the scope. All of live mode needs a second factor
(`REQUIRE_SECOND_FACTOR_FOR_LIVE`). Whose role falls lends no more than the new role may; a key does what it says,
whoever made it.
"""
TABLE = "| Scope | people | keys, test | keys, live | agents, test | agents, live |\n|---|---|---|---|---|---|"
PAIR = "all (the pair; *A key has leaked*)"
NOTHING = "–"
KEY_SCOPES: frozenset[str] = frozenset(scope.value for scope in KeyScope)
NOT_ON_A_PAGE = frozenset({Scope.READ_TOKENS, Scope.VERIFY_WEBHOOKS})
"""Agents' tools that show nothing of a merchant."""


def written() -> str:
    """The whole page."""
    return f"{HEAD}\n{TABLE}\n" + "".join(f"| {' | '.join(row)} |\n" for row in _rows())


def _rows() -> Iterator[tuple[str, ...]]:
    for scope in Scope:
        people = NOTHING if scope in NOT_ON_A_PAGE else _role_list(set(roles_within(scope)))
        keys = [NOTHING] * len(Mode)
        if scope.value in KEY_SCOPES:
            keys = [_role_list(set(ROLES_OF_KEYS[mode][KeyScope(scope.value)])) for mode in Mode]
        agents = _role_list({role for role in Role if scope in may_grant(role)})
        yield (f"`{scope}`", people, *keys, agents, agents)
    pair = (
        _role_list({role for role in Role if set(KeyScope) <= set(scopes_within_reach(role, mode))}) for mode in Mode
    )
    yield (PAIR, NOTHING, *pair, NOTHING, NOTHING)


def _role_list(roles: set[Role]) -> str:
    return ", ".join(role for role in Role if role in roles)
