"""The clock's door to what belongs to the whole service."""

from operations.audits import seal_audits as seal
from operations.invariants.schedule import run_due_check, walk_on
from operations.opening import open_books as open_some


def check_invariants() -> None:
    """Check the invariants if that is due."""
    run_due_check()


def walk_invariants() -> None:
    """Walk on over the whole history."""
    walk_on()


def seal_audits() -> None:
    """Seal the audits' newest lines."""
    seal()


def open_books() -> None:
    """Book rows of money that were there before the books were."""
    open_some()
