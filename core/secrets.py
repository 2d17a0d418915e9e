"""Random keys, lookup digests, and encryption at rest."""

import base64
import hashlib
import hmac
import secrets
from functools import cache
from typing import NoReturn

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class SecretUnreadable(InvalidToken):
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


@cache
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet(
        [Fernet(base64.urlsafe_b64encode(hashlib.sha256(f"at-rest:{key}".encode()).digest())) for key in keys]
    )


def encrypt(plain: bytes) -> bytes:
    """Encrypt for storage under the first of ``ENCRYPTION_KEYS``."""
    return _cipher(tuple(settings.ENCRYPTION_KEYS)).encrypt(plain)


def decrypt(stored: bytes | memoryview) -> bytes:
    """Decrypt what ``encrypt`` stored, under any of ``ENCRYPTION_KEYS`` so that keys can be rotated.

    Raises: SecretUnreadable where none of them opens it.
    """
    try:
        return _cipher(tuple(settings.ENCRYPTION_KEYS)).decrypt(bytes(stored))
    except InvalidToken:
        raise SecretUnreadable from None
