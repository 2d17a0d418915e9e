"""The clock's door: one line each, called as ``config/schedule.py`` says."""

from ledger.statements import write_statements as write


def write_statements() -> None:
    """Write the statements of days that are over."""
    write()
