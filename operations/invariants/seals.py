"""Audits hold what was sealed of them, line by line."""

from collections.abc import Iterator

from core.models import AuditSeal
from core.seals import broken_seals
from operations.audits import AUDITS
from operations.invariants.scope import Scope


def audits_are_as_they_were_sealed(scope: Scope) -> Iterator[str]:
    """Nobody changed, removed or slipped in a line. Why of no one merchant: a seal is over everybody's lines."""
    if scope.merchant_id is None and scope.since is None:
        for audit in AUDITS:
            yield from broken_seals(audit, scope.of_piece(AuditSeal))
