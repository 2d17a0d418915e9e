"""The test clock: moves one merchant's test world forward by moving what is due, never what is shown.

Source: docs/design/test-mode.md, The test clock.
"""

from collections.abc import Callable

from django.db import transaction

ShiftDue = Callable[[int, str, int], None]
"""Called with merchant id, mode and seconds; brings the app's due times that much forward."""

_shifts: list[ShiftDue] = []


def register(shift_due: ShiftDue) -> None:
    """Add an app's mover. Called once per app when it starts. Why: core cannot know the apps above it."""
    if shift_due not in _shifts:
        _shifts.append(shift_due)


@transaction.atomic
def advance(merchant_id: int, mode: str, seconds: int) -> None:
    """Let so many seconds pass for everything that a merchant waits for in a mode."""
    for shift_due in _shifts:
        shift_due(merchant_id, mode, seconds)
