"""Identifiers: what they look like going out and which forms are accepted coming in."""

import re
import secrets
import uuid

MAX_IDEMPOTENCY_KEY_LENGTH = 255
"""Source: specification, Limits."""
_UUID_FORMS = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")


def new_event_id() -> str:
    """A fresh event identifier. Source: specification, Events (``evt_`` form)."""
    return f"evt_{uuid.uuid4().hex}"


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
