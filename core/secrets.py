"""Random keys, lookup digests, and encryption at rest."""

import base64
import hashlib
import hmac
import os
import secrets
from functools import cache
from typing import Final, NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings


class SecretUnreadable(ValueError):
    """What is stored was encrypted under a key that ENCRYPTION_KEYS no longer names."""

    def __init__(self) -> None:
        super().__init__("No key of ENCRYPTION_KEYS opens what is stored. Name there the key of before, too.")


class Sealed:
    """A secret in memory that shows itself to nobody: not in a log, a traceback with locals, a message or a copy.

    Why no comparison and no length: whoever needs them opens it first, and that is easy to search for.
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def reveal(self) -> bytes:
        """The secret itself. Keep it in a variable only where nothing can fail around it."""
        return self._secret

    def __repr__(self) -> str:
        """Nothing of it."""
        return "<sealed>"

    def __reduce__(self) -> NoReturn:
        """Refuse to be written anywhere. Raises: TypeError."""
        raise TypeError("a sealed secret is never written")


def random_token(prefix: str) -> str:
    """A new secret with 256 bits of randomness behind a readable prefix."""
    return prefix + secrets.token_urlsafe(32).replace("-", "A").replace("_", "B")


def lookup_digest(secret: str) -> str:
    """The SHA-256 by which a secret is found. Why: random 256-bit keys need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def keyed_digest(purpose: str, content: bytes) -> str:
    """A digest under this installation's own key: equal contents are equal, and nobody without the key can guess one.

    Why a purpose: digests of two tables must not be comparable.
    """
    return hmac.digest(f"{purpose}:{settings.ENCRYPTION_KEYS[0]}".encode(), content, "sha256").hex()


_SEALED: Final = b"\x01"
"""What is sealed begins with this, the key's mark and the nonce. A Fernet token, as before, begins with ``g``."""
_MARK_BYTES, _NONCE_BYTES = 4, 12
HEAD_BYTES: Final = len(_SEALED) + _MARK_BYTES
"""So many bytes at the beginning of what is sealed say by which key."""


class _Keys:
    """The keys of an installation, the newest first: what is sealed says which of them opens it."""

    def __init__(self, names: tuple[str, ...]) -> None:
        keys = [hashlib.sha256(f"at-rest:{name}".encode()).digest() for name in names]
        heads = [_SEALED + hashlib.sha256(b"mark:" + key).digest()[:_MARK_BYTES] for key in keys]
        self.newest = heads[0]
        self.ciphers = {head: AESGCM(key) for head, key in zip(heads, keys, strict=True)}
        self.fernets = {head: Fernet(base64.urlsafe_b64encode(key)) for head, key in zip(heads, keys, strict=True)}
        self.fernet = MultiFernet(self.fernets.values())


@cache
def _keys(names: tuple[str, ...]) -> _Keys:
    return _Keys(names)


def encrypt(plain: bytes) -> bytes:
    """Encrypt for storage under the first of ``ENCRYPTION_KEYS``: AES-256-GCM with a random nonce.

    Why so: a third of what Fernet takes, and a third fewer bytes. One key is good for four billion of them.
    Source: https://csrc.nist.gov/pubs/sp/800/38/d/final (section 8.3); docs/adr/0070.
    """
    keys, nonce = _keys(tuple(settings.ENCRYPTION_KEYS)), os.urandom(_NONCE_BYTES)
    head = keys.newest
    return head + nonce + keys.ciphers[head].encrypt(nonce, plain, head)


def decrypt(stored: bytes | memoryview) -> bytes:
    """Decrypt what ``encrypt`` stored, now or as Fernet before, under any of ``ENCRYPTION_KEYS``: keys can be rotated.

    Raises: SecretUnreadable where none of them opens it.
    """
    keys, sealed = _keys(tuple(settings.ENCRYPTION_KEYS)), bytes(stored)
    try:
        if not sealed.startswith(_SEALED):
            return keys.fernet.decrypt(sealed)
        head, begin = sealed[: 1 + _MARK_BYTES], 1 + _MARK_BYTES + _NONCE_BYTES
        return keys.ciphers[head].decrypt(sealed[1 + _MARK_BYTES : begin], sealed[begin:], head)
    except (InvalidToken, InvalidTag, KeyError, ValueError):
        raise SecretUnreadable from None


def encrypt_text(plain: str) -> str:
    """The same as text, for addresses and columns of text."""
    return base64.urlsafe_b64encode(encrypt(plain.encode())).decode()


def decrypt_text(stored: str) -> str:
    """Decrypt what ``encrypt_text`` wrote, or Fernet before. Raises: SecretUnreadable."""
    return decrypt(as_stored(stored)).decode()


def as_stored(text: str) -> bytes:
    """What ``encrypt_text`` or Fernet wrote, in the form that ``decrypt`` takes. Raises: SecretUnreadable."""
    try:
        sealed = base64.urlsafe_b64decode(text)
    except ValueError:
        raise SecretUnreadable from None
    return sealed if sealed.startswith(_SEALED) else text.encode()


def key_names() -> tuple[str, ...]:
    """What the keys of ``ENCRYPTION_KEYS`` are called, the newest first: digits that tell nothing of a key."""
    return tuple(map(_name, _keys(tuple(settings.ENCRYPTION_KEYS)).ciphers))


def newest_head() -> bytes:
    """How everything begins that is sealed under the first key."""
    return _keys(tuple(settings.ENCRYPTION_KEYS)).newest


def key_name_of(stored: bytes) -> str:
    """What the key is called that sealed this, named here or not; empty where that cannot be said.

    Only the first ``HEAD_BYTES`` count, but for what Fernet sealed, which says nothing of its key: each is tried.
    """
    if stored.startswith(_SEALED):
        return _name(stored[:HEAD_BYTES])
    for head, fernet in _keys(tuple(settings.ENCRYPTION_KEYS)).fernets.items():
        try:
            fernet.decrypt(stored)
        except InvalidToken:
            continue
        return _name(head)
    return ""


def says_its_key(head: bytes) -> bool:
    """Whether what begins so says by itself which key sealed it."""
    return head.startswith(_SEALED)


def _name(head: bytes) -> str:
    return head[len(_SEALED) : HEAD_BYTES].hex()
