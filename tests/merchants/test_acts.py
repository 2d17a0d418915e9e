"""Who may do what on the dashboard, written out: the pages and the team's table are drawn from the code's own."""

from merchants.acts import PERMISSIONS, Act, may
from merchants.models import Role

EVERYBODY_BUT_VIEWERS = {"owner", "admin", "developer", "support"}
BUILDERS = {"owner", "admin", "developer"}
LEADS = {"owner", "admin"}
EXPECTED: dict[str, tuple[set[str], bool]] = {
    "see_customers": (EVERYBODY_BUT_VIEWERS, False),
    "see_requests": (EVERYBODY_BUT_VIEWERS, False),
    "see_audit": (LEADS, False),
    "export": (EVERYBODY_BUT_VIEWERS, False),
    "resend": (EVERYBODY_BUT_VIEWERS, False),
    "ask_payer": (EVERYBODY_BUT_VIEWERS, False),
    "change_payments": (BUILDERS, False),
    "change_endpoints": (BUILDERS, True),
    "change_keys": (BUILDERS, True),
    "change_look": (BUILDERS, False),
    "change_settlement": (LEADS, True),
    "move_money": (LEADS, True),
    "steer_agents": (LEADS, True),
    "change_team": (LEADS, True),
}
"""By act: the roles, and whether who it is must be proven afresh."""


def test_the_table_of_acts() -> None:
    held = {str(act): ({str(role) for role in Role if may(role, act)}, PERMISSIONS[act].fresh) for act in Act}
    assert held == EXPECTED
