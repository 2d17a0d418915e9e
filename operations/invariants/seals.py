"""Audits hold what was sealed of them, line by line."""

from collections.abc import Iterator

from core.seals import broken_seals
from operations.audits import AUDITS
from operations.invariants.scope import WHOLE, Scope


def audits_are_as_they_were_sealed(scope: Scope) -> Iterator[str]:
    """Nobody changed, removed or slipped in a line. Why of the whole alone: a seal is over every merchant's lines."""
    if scope == WHOLE:
        for audit in AUDITS:
            yield from broken_seals(audit)
