"""The door for whoever signs something: ``sign`` and ``published``. Nobody else opens a private key.

Workers and commands alone sign; a web request only shows what was signed. Source: docs/adr/0113.
"""

import hashlib
from datetime import datetime
from typing import Any, Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import IntegrityError, transaction

from core.clock import now, optional_wire_time, wire_time
from core.secrets import decrypt, encrypt
from proofs.canonical import canonical
from proofs.models import ProofKey

ALGORITHM: Final = "Ed25519"
KEY, KEYS = "causeway.key.v1", "causeway.keys.v1"
"""What a signature under a key's facts, and under the whole list, is made for."""
NOTHING_YET: Final[dict[str, Any]] = {"type": KEYS, "keys": [], "signed_by": None, "signature": None}


class Signature(NamedTuple):
    """Who signed, and the signature in hexadecimal."""

    key_id: str
    value: str


def sign(purpose: str, content: bytes) -> Signature:
    """Sign content with the current key; the first call ever makes that key.

    ``purpose``, such as ``causeway.receipt.v1``, is signed with it, so that nothing signed for one purpose passes for
    another. Raises: SecretUnreadable where ENCRYPTION_KEYS lacks the key that sealed it.
    """
    key = ProofKey.objects.filter(is_current=True).first() or _first_key()
    return Signature(key.pk, _signature(_private(bytes(key.sealed_seed)), purpose, content))


def published() -> str:
    """The list of all keys ever, as anybody may read it: canonical JSON, signed by the current key."""
    document = ProofKey.objects.filter(is_current=True).values_list("document", flat=True).first()
    return document or canonical(NOTHING_YET).decode()


@transaction.atomic
def rotate(*, is_lost: bool = False) -> ProofKey:
    """Make a new key the current one, endorsed by the one before, whose private half is erased.

    What the old one signed stays valid. ``is_lost``: nothing opens the old one any more, so it endorses nothing.
    Raises: SecretUnreadable where it is lost, and nobody said so. Locks: the current key's row.
    """
    before = ProofKey.objects.select_for_update().filter(is_current=True).first()
    return _first_key() if before is None else _new_key(before, endorses=not is_lost)


def _first_key() -> ProofKey:
    try:
        with transaction.atomic():
            return _new_key(None, endorses=False)
    except IntegrityError:  # another worker was faster
        return ProofKey.objects.get(is_current=True)


def _new_key(before: ProofKey | None, *, endorses: bool) -> ProofKey:
    moment, private = now(), Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    key = ProofKey(id=key_id(public), public_key=public.hex(), created_at=moment)
    if before is not None and endorses:
        key.endorsed_by = before.pk
        key.endorsement = _signature(_private(bytes(before.sealed_seed)), KEY, canonical(_facts(key)))
    if before is not None:
        before.is_current, before.retired_at, before.sealed_seed = False, moment, b""
        before.save(update_fields=["is_current", "retired_at", "sealed_seed"])
    key.sealed_seed = encrypt(private.private_bytes_raw())
    key.document = _document(key, private)
    key.save(force_insert=True)
    return key


def key_id(public: bytes) -> str:
    """What a key is called: by its public half, so that none can be put in another one's place."""
    return f"rk_{hashlib.sha256(public).hexdigest()[:16]}"


def _private(sealed_seed: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(decrypt(sealed_seed))


def _signature(private: Ed25519PrivateKey, purpose: str, content: bytes) -> str:
    return private.sign(purpose.encode() + b"\n" + content).hex()


def _facts(key: ProofKey) -> dict[str, str]:
    return {
        "id": key.pk,
        "algorithm": ALGORITHM,
        "public_key": key.public_key,
        "created_at": wire_time(key.created_at),
    }


def _document(newest: ProofKey, private: Ed25519PrivateKey) -> str:
    rows = [*ProofKey.objects.order_by("created_at", "id"), newest]
    listed: dict[str, Any] = {"type": KEYS, "keys": [_entry(row) for row in rows], "signed_by": newest.pk}
    return canonical({**listed, "signature": _signature(private, KEYS, canonical(listed))}).decode()


def _entry(key: ProofKey) -> dict[str, str | None]:
    retired: datetime | None = key.retired_at
    return {
        **_facts(key),
        "retired_at": optional_wire_time(retired),
        "endorsed_by": key.endorsed_by or None,
        "endorsement": key.endorsement or None,
    }
