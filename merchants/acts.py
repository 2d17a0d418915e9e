"""What people may do on the dashboard: one table of acts by role. Pure.

Source: docs/guides/dashboard.md, The team; docs/reach.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from merchants.models import Role


class Act(StrEnum):
    """One thing that a role may or may not do. Looking around asks for none of them."""

    SEE_CUSTOMERS = "see_customers"
    SEE_REQUESTS = "see_requests"
    SEE_AUDIT = "see_audit"
    EXPORT = "export"
    RESEND = "resend"
    ASK_PAYER = "ask_payer"
    CHANGE_PAYMENTS = "change_payments"
    CHANGE_ENDPOINTS = "change_endpoints"
    CHANGE_KEYS = "change_keys"
    CHANGE_LOOK = "change_look"
    CHANGE_SETTLEMENT = "change_settlement"
    MOVE_MONEY = "move_money"
    STEER_AGENTS = "steer_agents"
    CHANGE_TEAM = "change_team"


@dataclass(frozen=True, kw_only=True)
class Permission:
    """Whose an act is. ``fresh``: asks who it is again where that was proven some minutes ago."""

    words: str
    roles: frozenset[Role]
    fresh: bool


_LEADS: Final = frozenset({Role.OWNER, Role.ADMIN})
_BUILDERS: Final = _LEADS | {Role.DEVELOPER}
_INSIDERS: Final = _BUILDERS | {Role.SUPPORT}

PERMISSIONS: Final[Mapping[Act, Permission]] = {
    Act.SEE_CUSTOMERS: Permission(words="See payers' e-mail and metadata", roles=_INSIDERS, fresh=False),
    Act.SEE_REQUESTS: Permission(words="See the request log", roles=_INSIDERS, fresh=False),
    Act.SEE_AUDIT: Permission(words="See who changed what", roles=_LEADS, fresh=False),
    Act.EXPORT: Permission(words="Save lists as files", roles=_INSIDERS, fresh=False),
    Act.RESEND: Permission(words="Resend webhooks, send test events, replay scenarios", roles=_INSIDERS, fresh=False),
    Act.ASK_PAYER: Permission(words="Send payers a link to claim a refund", roles=_INSIDERS, fresh=False),
    Act.CHANGE_PAYMENTS: Permission(words="Cancel payments nobody has paid", roles=_BUILDERS, fresh=False),
    Act.CHANGE_ENDPOINTS: Permission(words="Change webhook endpoints and their secrets", roles=_BUILDERS, fresh=True),
    Act.CHANGE_KEYS: Permission(words="Create, roll and revoke keys; allow origins", roles=_BUILDERS, fresh=True),
    Act.CHANGE_LOOK: Permission(words="Change the look of the checkout", roles=_BUILDERS, fresh=False),
    Act.CHANGE_SETTLEMENT: Permission(
        words="Change where and when payments count as settled", roles=_LEADS, fresh=True
    ),
    Act.MOVE_MONEY: Permission(
        words="Send refunds, accept a part of a payment, replay and resume payouts", roles=_LEADS, fresh=True
    ),
    Act.STEER_AGENTS: Permission(words="Limit, pause and stop agents; decide what they ask", roles=_LEADS, fresh=True),
    Act.CHANGE_TEAM: Permission(words="Invite and remove people, change roles", roles=_LEADS, fresh=True),
}
"""Every act, in the order in which the team page lists them."""


def may(role: Role, act: Act) -> bool:
    """Whether a role may do it."""
    return role in PERMISSIONS[act].roles
