"""Audits hold what was sealed of them, line by line."""

from collections.abc import Iterator

from config.audits import AUDITS
from config.invariants.scope import WHOLE, Scope
from core.seals import broken_seals


def audits_are_as_they_were_sealed(scope: Scope) -> Iterator[str]:
    """Nobody changed, removed or slipped in a line. Why of the whole alone: a seal is over every merchant's lines."""
    if scope == WHOLE:
        for audit in AUDITS:
            yield from broken_seals(audit)
