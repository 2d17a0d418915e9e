"""What is stored encrypted, kind by kind, and whether the keys of now still open it.

Why asked of a few rows: a key that is lost closes all that was stored under it, so the oldest and the newest row tell.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, models

from core.secrets import SecretUnreadable, decrypt
from merchants.accounts import sealed_factors
from merchants.models import IdempotencyRecord, OutgoingMail
from webhooks.models import SigningSecret

Samples = Callable[[], Iterable[bytes]]

ADVICE = "Name the key of before in ENCRYPTION_KEYS, too."

logger = logging.getLogger("causeway.secrets")


def oldest_and_newest(rows: models.QuerySet[Any], column: str) -> Iterable[bytes]:
    """What stands in a column of the first and the last of these rows."""
    values = rows.order_by("pk").values_list(column, flat=True)
    return [bytes(value) for value in (values.first(), values.last()) if value]


KINDS: Mapping[str, Samples] = {
    "mail": lambda: oldest_and_newest(OutgoingMail.objects.exclude(next_attempt_at=None), "sealed"),
    "remembered answers": lambda: oldest_and_newest(IdempotencyRecord.objects.all(), "answer"),
    "second factors": sealed_factors,
    "signing secrets": lambda: oldest_and_newest(SigningSecret.objects.all(), "ciphertext"),
}
"""Some of the rows of each kind, as they are stored."""


def unreadable() -> tuple[str, ...]:
    """The kinds of which no key opens the oldest or the newest row. Raises: database errors."""
    return tuple(kind for kind, samples in KINDS.items() if not all(map(_opens, samples())))


def _opens(stored: bytes) -> bool:
    try:
        decrypt(stored)
    except SecretUnreadable:
        return False
    return True


def tell_unreadable() -> None:
    """Write a line of the log for each kind that cannot be opened. Why no refusal to start: all else works."""
    for kind in unreadable():
        logger.error("secrets_unreadable kind=%s: no key of ENCRYPTION_KEYS opens what is stored. %s", kind, ADVICE)


@register(Tags.database)
def check_sealed(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """``manage.py check --database default`` says it before anything is started; nothing before the first migration."""
    try:
        kinds = unreadable() if databases else ()
    except DatabaseError:
        return []
    return [Error(f"No key opens stored {kind}.", hint=ADVICE, id="causeway.E001") for kind in kinds]
