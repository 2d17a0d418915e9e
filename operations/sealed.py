"""What is stored encrypted, kind by kind, and whether the keys of now still open it.

Why asked of a few rows: a key that is lost closes all that was stored under it, so the oldest and the newest row tell.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from allauth.mfa.models import Authenticator
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, InterfaceError, connection, models
from django.db.models import Q

from checkout.models import DemoShop
from core.secrets import SecretUnreadable, as_stored, decrypt, decrypt_text, encrypt, encrypt_text
from merchants.accounts import SEALED_OF_A_FACTOR
from merchants.models import IdempotencyRecord, OutgoingMail
from proofs.models import ProofKey
from webhooks.models import SigningSecret

ADVICE = "Name the key of before in ENCRYPTION_KEYS, too."

logger = logging.getLogger("causeway.secrets")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A column of a table that is sealed; where ``places`` are named it is JSON, and texts at these places are."""

    name: str
    model: type[models.Model]
    column: str
    where: Q
    places: tuple[str, ...] = ()

    def rows(self) -> "models.QuerySet[Any]":
        """The rows that hold something."""
        rows: models.QuerySet[Any] = self.model._default_manager.filter(self.where)
        return rows

    def sealed(self, stored: Any) -> list[bytes]:
        """What is sealed in the column of a row. Raises: SecretUnreadable where it is no text of ours."""
        if not self.places:
            return [bytes(stored)] if stored else []
        held = (stored[place] for place in self.places if place in stored)
        texts = (text for value in held for text in (value if isinstance(value, list) else [value]))
        return [as_stored(text) for text in texts]

    def resealed(self, stored: Any) -> Any:
        """What the column of that row is to hold, under the first key. Raises: SecretUnreadable."""
        if not self.places:
            return encrypt(decrypt(stored))
        changed = dict(stored)
        for place in set(self.places) & set(stored):
            value = stored[place]
            changed[place] = [_again(text) for text in value] if isinstance(value, list) else _again(value)
        return changed


def _again(text: str) -> str:
    return encrypt_text(decrypt_text(text))


KINDS: Final = (
    Kind(name="demo shops", model=DemoShop, column="sealed_secret", where=Q()),
    Kind(name="mail", model=OutgoingMail, column="sealed", where=Q(next_attempt_at__isnull=False)),
    Kind(name="receipt keys", model=ProofKey, column="sealed_seed", where=Q(is_current=True)),
    Kind(
        name="recovery codes",
        model=Authenticator,
        column="data",
        where=Q(type=Authenticator.Type.RECOVERY_CODES),
        places=SEALED_OF_A_FACTOR,
    ),
    Kind(name="remembered answers", model=IdempotencyRecord, column="answer", where=Q()),
    Kind(
        name="second factors",
        model=Authenticator,
        column="data",
        where=Q(type=Authenticator.Type.TOTP),
        places=SEALED_OF_A_FACTOR,
    ),
    Kind(name="signing secrets", model=SigningSecret, column="ciphertext", where=Q()),
)
"""Everything that is stored sealed. A test finds what stands sealed anywhere else."""


def unreadable() -> tuple[str, ...]:
    """The kinds of which no key opens the oldest or the newest row. Raises: database errors."""
    return tuple(kind.name for kind in KINDS if not _opens(kind))


def _opens(kind: Kind) -> bool:
    values = kind.rows().order_by("pk").values_list(kind.column, flat=True)
    try:
        for stored in (values.first(), values.last()):
            for sealed in kind.sealed(stored) if stored else ():
                decrypt(sealed)
    except SecretUnreadable:
        return False
    return True


def tell_unreadable() -> None:
    """Write a line of the log for each kind that cannot be opened or asked. Why no refusal to start: all else works.

    What cannot be asked: a table of this release beside the release before, and everything while the database is away.
    """
    for kind in KINDS:
        try:
            if not _opens(kind):
                logger.error(
                    "secrets_unreadable kind=%s: no key of ENCRYPTION_KEYS opens what is stored. %s", kind.name, ADVICE
                )
        except (DatabaseError, InterfaceError) as error:
            logger.warning("secrets_unasked kind=%s: %s", kind.name, str(error).partition("\n")[0])
            if connection.connection is None or not connection.is_usable():
                return  # each further kind would wait as long for a database that is away


@register(Tags.database)
def check_sealed(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """``manage.py check --database default`` says it before anything is started; nothing before the first migration."""
    try:
        kinds = unreadable() if databases else ()
    except DatabaseError:
        return []
    return [Error(f"No key opens stored {kind}.", hint=ADVICE, id="causeway.E001") for kind in kinds]
