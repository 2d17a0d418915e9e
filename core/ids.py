"""Identifiers: what they look like going out and which forms are accepted coming in."""

import hashlib
import re
import secrets
import uuid
from datetime import datetime

from core.clock import now

MAX_IDEMPOTENCY_KEY_LENGTH = 255
"""Source: specification, Limits."""
_UUID_FORMS = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")


_RANDOM_BYTES = 10


def new_growing_id() -> uuid.UUID:
    """A fresh UUID that is greater than those of earlier milliseconds: a new row stands beside the last in every index.

    Not for what opens something to whoever knows it, such as an intent: it tells its time, and 74 bits are random.
    Source: https://www.rfc-editor.org/rfc/rfc9562.html#section-5.7, UUID Version 7; docs/adr/0084.
    """
    return _growing(now(), int.from_bytes(secrets.token_bytes(_RANDOM_BYTES)))


def _growing(moment: datetime, random: int) -> uuid.UUID:
    milliseconds = round(moment.timestamp() * 1000)
    beside_version, beside_variant = random >> 62 & 0xFFF, random & (1 << 62) - 1
    return uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | beside_version << 64 | 0b10 << 62 | beside_variant)


def derived_id(*happening: object) -> uuid.UUID:
    """The UUID that follows from what happened: a database that forgot it gives the same one again.

    As hard to guess as the least known of its parts.
    Source: https://www.rfc-editor.org/rfc/rfc9562.html#section-5.8, UUID Version 8; docs/adr/0094.
    """
    bits = int.from_bytes(_digest(happening)[:16])
    return uuid.UUID(int=bits & ~(0xF << 76 | 0b11 << 62) | 0x8 << 76 | 0b10 << 62)


def derived_event_id(born_at: datetime | None, *happening: object) -> str:
    """An event's identifier, which follows from what happened to something that is there since ``born_at``.

    Why that moment before it: events of what was made together stand together in every index. None for what may be
    forgotten and made again, later.
    Source: specification, Events (``evt_`` form); docs/adr/0094.
    """
    if born_at is None:
        return f"evt_{derived_id(*happening).hex}"
    return f"evt_{_growing(born_at, int.from_bytes(_digest(happening)[:_RANDOM_BYTES])).hex}"


def _digest(happening: tuple[object, ...]) -> bytes:
    return hashlib.sha256("\0".join(map(str, happening)).encode()).digest()


def new_request_id() -> str:
    """A fresh request identifier; random bytes are cheaper here than a UUID object."""
    return f"req_{secrets.token_hex(16)}"


def parse_public_id(text: str, prefix: str = "") -> uuid.UUID | None:
    """Read a UUID, bare or behind the resource's prefix, with or without hyphens; None if it is neither.

    Why: the specification's guide shows ``pi_`` ids while its description types them as uuid.
    """
    bare = text.removeprefix(prefix)
    return uuid.UUID(bare) if _UUID_FORMS.fullmatch(bare) else None


def is_idempotency_key(text: str) -> bool:
    """Whether this may be an ``Idempotency-Key``: printable ASCII, not too long."""
    return 1 <= len(text) <= MAX_IDEMPOTENCY_KEY_LENGTH and text.isascii() and text.isprintable()
