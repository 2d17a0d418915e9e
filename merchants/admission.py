"""Whether somebody who acts for a merchant within limits may send this much; asked where the money row is made."""

from collections.abc import Callable
from uuid import UUID

from core.money import UsdAmount

Admit = Callable[[UsdAmount, UUID], None]
"""Asked with the dollars and the id of the refund or payout that is about to be written, in its transaction.

Raises: ServiceError, and then nothing is written.
"""


def admit_all(_amount: UsdAmount, _subject: UUID, /) -> None:
    """Refuse nothing: a merchant acting for itself has no limit."""
