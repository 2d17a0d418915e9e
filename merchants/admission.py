"""Whether somebody who acts for a merchant within limits may send this much.

Asked where the money row is made, and again before anything is sent for it. Why a registry: who knows the limits lives
above those who send.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from core.money import UsdAmount

Admit = Callable[[UsdAmount, UUID], None]
"""Asked with the dollars that limits count, and the id of the refund or payout that is about to be written, in its
transaction.

Raises: ServiceError, and then nothing is written.
"""


def admit_all(_amount: UsdAmount, _subject: UUID, /) -> None:
    """Refuse nothing: a merchant acting for itself has no limit."""


class HoldReason(StrEnum):
    """Why something that was let through is not sent after all, as it is shown."""

    AGENT_REVOKED = "agent_revoked"
    AGENTS_PAUSED = "agents_paused"
    AGENT_OVER_LIMIT = "agent_over_limit"


@dataclass(frozen=True, kw_only=True)
class Objection:
    """Why nothing may be sent now: a ``HoldReason``, or a word of whoever sends.

    ``is_for_good``: only a person's word on this very row ends it.
    """

    reason: str
    is_for_good: bool = False


Objector = Callable[[UUID], Objection | None]
"""Asked with the id of a refund or payout of which nothing was sent."""
_objectors: dict[str, Objector] = {}


def register_objector(kind: str, objector: Objector) -> None:
    """Have somebody asked about what was made by this kind of actor (``agent``). Called when an app starts."""
    _objectors[kind] = objector


def objection_to(actor: str, subject_id: UUID) -> Objection | None:
    """What speaks against sending what this actor made; None for those who have no limits."""
    objector = _objectors.get(actor.partition(":")[0])
    return None if objector is None else objector(subject_id)
