"""The key and the address a client works with, checked once, and a key that no repr, log or traceback shows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from urllib.parse import urlsplit

from causeway_sdk._errors import CausewayError

KEY_NAME, ADDRESS_NAME = "CAUSEWAY_API_KEY", "CAUSEWAY_BASE_URL"
LOCAL_ADDRESS = "http://localhost:8000"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class LiveKeyWarning(UserWarning):
    """A live key is used where tests run: real money could move."""


class Secret:
    """A key that shows itself to nobody but the request."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not pickled")

    @property
    def is_live(self) -> bool:
        """Whether real money moves."""
        return "_live_" in self._key[:8]

    def headers(self, others: Mapping[str, str]) -> dict[str, str]:
        """The same headers, with the proof of who asks."""
        return {**others, "Authorization": f"Bearer {self._key}"}


def read_key(given: str | None) -> Secret:
    """The key from the argument or CAUSEWAY_API_KEY. Raises: CausewayError. Never shows it."""
    secret = Secret((given or os.environ.get(KEY_NAME) or "").strip())
    del given
    text = secret.headers({})["Authorization"].removeprefix("Bearer ")
    fault = _fault_of(text)
    del text
    if fault:
        raise CausewayError(fault)
    if secret.is_live and (os.environ.get("CI") or os.environ.get("PYTEST_CURRENT_TEST")):
        warnings.warn("A live key is used in a test or in CI: real money could move.", LiveKeyWarning, stacklevel=4)
    return secret


def _fault_of(key: str) -> str | None:
    if not key:
        return f"No key: give api_key, or set {KEY_NAME}."
    if key.startswith("pk_"):
        return "A publishable key (pk_…) opens payers' pages only: use your secret key (sk_…)."
    if not (key.isascii() and key.isprintable()) or " " in key:
        return "The key holds characters that no key has: copy the whole key again."
    return None


def read_address(given: str | None, secret: Secret) -> str:
    """The service's address from the argument or CAUSEWAY_BASE_URL. Raises: CausewayError."""
    text = (given or os.environ.get(ADDRESS_NAME) or ("" if secret.is_live else LOCAL_ADDRESS)).rstrip("/")
    if not text:
        raise CausewayError(f"No address: give base_url, or set {ADDRESS_NAME}.")
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.username:
        raise CausewayError("base_url must be like https://pay.example.com")
    if secret.is_live and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise CausewayError("A live key is sent by https only.")
    return text.removesuffix("/api/public/v1")
