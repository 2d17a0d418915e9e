"""The test clock: moves one merchant's test world forward by moving what is due, never what is shown.

Source: docs/design/test-mode.md, The test clock.
"""

from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

ShiftDue = Callable[[int, str, int], None]
"""Called with merchant id, mode and seconds; brings the app's due times that much forward."""


@transaction.atomic
def advance(merchant_id: int, mode: str, seconds: int) -> None:
    """Let so many seconds pass for everything that a merchant waits for in a mode."""
    for path in settings.TEST_CLOCK:
        shift_due: ShiftDue = import_string(path)
        shift_due(merchant_id, mode, seconds)
