"""What a person can stop for the whole service: signing, sending, one account. What is due goes on afterwards.

Whoever signs or posts asks the database each time, once a round: the answer is a row of an index with a few entries,
and all processes of all machines obey the same row. Nothing is remembered: a pause must hold at once. A kind is one of
``Paused``, or what an app can have paused alone, as a gas account (``chains.models.GasAccount.pause_kind``).
Source: docs/adr/0096.
"""

import logging
from enum import StrEnum

from django.db import connection, transaction

from core.clock import now
from core.identity import HAS_CHANGED, known_identity, seen_identity, take_notice
from core.models import Pause

logger = logging.getLogger("causeway.pauses")


class Paused(StrEnum):
    """What can be paused. ``SIGNING``: no key of ours signs, and no node is handed what one signed. ``SENDING``: no
    webhook is posted and no mail is handed to its server.
    """

    SIGNING = "signing"
    SENDING = "sending"


RESTORED = "restored"
"""How the reason of a pause begins that the service made itself, and ``manage.py restored --let-go`` ends."""
SERVICE = "service"
_ASK = f"SELECT EXISTS (SELECT 1 FROM core_pause WHERE kind = ANY(%s) AND ended_at IS NULL), ({HAS_CHANGED})"  # noqa: S608 - ours


def is_paused(*kinds: str) -> bool:
    """Whether a person has stopped one of these, or the service itself where the database was put back.

    One read, no lock.

    Why PostgreSQL says in the same answer whether it still is the database that it was: whoever comes first to one that
    was put back must see it before anything leaves.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_ASK, [[str(kind) for kind in kinds]])
            is_standing, has_changed = cursor.fetchone()
        if is_standing or not has_changed:
            return bool(is_standing)
        look_for_restore()
    return Pause.objects.filter(kind__in=kinds, ended_at=None).exists()


def look_for_restore() -> None:
    """Stop both where this database was put back from a backup, and write down which database it is.

    Why before every sign of life: how old the last one is tells a restore from a failover.
    """
    if seen_identity() == known_identity():
        return
    with transaction.atomic():
        if why := take_notice():
            logger.critical("database_restored: %s; until manage.py restored --let-go nothing is signed or sent", why)
            make_quiet(why, by=SERVICE)


def make_quiet(why: str, *, by: str) -> None:
    """Stop both, as of a database that was put back. What a person stopped already stays that person's."""
    for kind in Paused:
        pause(kind, reason=f"{RESTORED}: {why}"[:200], by=by)


def is_quiet(stands: Pause) -> bool:
    """Whether a pause stands because the database was put back."""
    return stands.reason.startswith(f"{RESTORED}: ")


def quiet_since() -> list[Pause]:
    """The pauses that stand for that. One read."""
    return [one for one in standing().values() if is_quiet(one)]


def standing() -> dict[str, Pause]:
    """The pauses that stand now, by their kind. One read."""
    return {one.kind: one for one in Pause.objects.filter(ended_at=None).order_by("kind", "pk")}


def pause(kind: str, *, reason: str, by: str) -> Pause:
    """Stop something until a person resumes it. Where it is stopped already, that pause stays as it is."""
    stands, is_new = Pause.objects.get_or_create(kind=kind, ended_at=None, defaults={"reason": reason, "by": by})
    if is_new:
        logger.warning("%s paused by %s: %s", str(kind), by, reason)
    return stands


def resume(kind: str, *, by: str) -> bool:
    """Let it go on; says whether it was stopped. What came due meanwhile is taken by the next sweep."""
    ended = Pause.objects.filter(kind=kind, ended_at=None).update(ended_at=now(), ended_by=by)
    if ended:
        logger.warning("%s resumed by %s", str(kind), by)
    return bool(ended)


def tell_pauses() -> None:
    """Say in the log what is paused. Why each minute: nobody is called for a pause, so it is easily forgotten."""
    for kind, stands in standing().items():
        logger.warning(
            "%s is paused since %s by %s: %s",
            kind,
            f"{stands.since:%Y-%m-%d %H:%M} UTC",
            stands.by,
            stands.reason,
        )
