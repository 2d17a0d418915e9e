"""What apps let readiness say of what they look after: a finding for each thing, by its name.

Apart from the views, as ``core.queues``: workers need no web framework.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Whether one thing works, how old the newest sign of that is (None where there is none), and what it means."""

    works: bool
    age_seconds: int | None
    detail: str


FindingsOf = Callable[[], Mapping[str, Finding]]
"""What was found of each thing. Why all at once: which things there are, only their app knows."""

GROUPS: dict[str, FindingsOf] = {}


def register_findings(group: str, findings_of: FindingsOf) -> None:
    """Have readiness show these as ``group.name``. Called by apps when they are ready."""
    GROUPS[group] = findings_of
