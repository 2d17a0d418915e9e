"""Every audit of the service: the tables that only grow, and are sealed."""

from typing import Final

from core.append_only import AppendOnlyModel
from core.seals import seal_lines
from mcp.models import AgentRecord
from merchants.models import Change

AUDITS: Final[tuple[type[AppendOnlyModel], ...]] = (Change, AgentRecord)


def seal_audits() -> None:
    """Seal what was written to each of them."""
    for audit in AUDITS:
        seal_lines(audit)
