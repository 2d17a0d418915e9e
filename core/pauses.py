"""What a person can stop for the whole service: signing, and sending. What is due stays due, and goes on afterwards.

Whoever signs or posts asks the database each time, once a round: the answer is one row of an index with two entries at
most, and all processes of all machines obey the same row. Nothing is remembered: a pause must hold at once.
Source: docs/adr/0096.
"""

import logging
from enum import StrEnum

from core.clock import now
from core.models import Pause

logger = logging.getLogger("causeway.pauses")


class Paused(StrEnum):
    """What can be paused. ``SIGNING``: no key of ours signs, and no node is handed what one signed. ``SENDING``: no
    webhook is posted and no mail is handed to its server.
    """

    SIGNING = "signing"
    SENDING = "sending"


def is_paused(kind: Paused) -> bool:
    """Whether a person has stopped this. One read, and no lock."""
    return Pause.objects.filter(kind=kind, ended_at=None).exists()


def standing() -> dict[Paused, Pause]:
    """The pauses that stand now. One read."""
    return {Paused(one.kind): one for one in Pause.objects.filter(ended_at=None).order_by("kind", "pk")}


def pause(kind: Paused, *, reason: str, by: str) -> Pause:
    """Stop something until a person resumes it. Where it is stopped already, that pause stays as it is."""
    stands, is_new = Pause.objects.get_or_create(kind=kind, ended_at=None, defaults={"reason": reason, "by": by})
    if is_new:
        logger.warning("%s paused by %s: %s", kind.value, by, reason)
    return stands


def resume(kind: Paused, *, by: str) -> bool:
    """Let it go on; says whether it was stopped. What came due meanwhile is taken by the next sweep."""
    ended = Pause.objects.filter(kind=kind, ended_at=None).update(ended_at=now(), ended_by=by)
    if ended:
        logger.warning("%s resumed by %s", kind.value, by)
    return bool(ended)


def tell_pauses() -> None:
    """Say in the log what is paused. Why each minute: nobody is called for a pause, so it is easily forgotten."""
    for kind, stands in standing().items():
        logger.warning(
            "%s is paused since %s by %s: %s",
            kind.value,
            f"{stands.since:%Y-%m-%d %H:%M} UTC",
            stands.by,
            stands.reason,
        )
