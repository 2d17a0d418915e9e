"""Signs and verifies webhook requests. Pure: it knows no table, so receivers can read it as a recipe.

The key is the UTF-8 of the whole secret, ``whsec_`` included.
Source: specification, Events; docs/guides/webhooks.md, Verify.
"""

import base64
import hmac
import re
import secrets as random_source
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

SIGNATURE_HEADER = "Svc-Signature"
SECRET_PREFIX = "whsec_"  # noqa: S105 - a prefix, not a secret
TOLERANCE_SECONDS = 300
"""Source: specification, Limits (webhook timestamp tolerance)."""
_SECRET_BYTES = 33
"""Why 33: 44 characters of base64 without padding."""
_MAX_HEADER_LENGTH = 4096
_TIMESTAMP = re.compile(r"[0-9]{1,12}")


class Refusal(StrEnum):
    """Why a request must not be trusted."""

    SECRET_EMPTY = "secret_empty"  # noqa: S105 - a reason, not a secret
    HEADER_MISSING = "header_missing"
    HEADER_MALFORMED = "header_malformed"
    TIMESTAMP_MISSING = "timestamp_missing"
    TIMESTAMP_REPEATED = "timestamp_repeated"
    SIGNATURE_MISSING = "signature_missing"
    SIGNATURE_MISMATCH = "signature_mismatch"
    TIMESTAMP_OUTSIDE_TOLERANCE = "timestamp_outside_tolerance"


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The verdict on a request: ``refusal`` is None exactly when it is genuine and fresh."""

    refusal: Refusal | None
    timestamp: int | None = None

    @property
    def valid(self) -> bool:
        """Whether the request may be trusted."""
        return self.refusal is None


def new_secret() -> str:
    """A fresh signing secret. Why base64: libraries for the Standard Webhooks headers decode it."""
    return SECRET_PREFIX + base64.b64encode(random_source.token_bytes(_SECRET_BYTES)).decode()


def sign(secret: str, timestamp: int | str, body: bytes) -> str:
    """The hex HMAC-SHA256 of ``<t>.<raw body>``. Raises: ValueError for an empty secret.

    Units: timestamp in unix seconds, or the very text of a received ``t``: what was signed is text.
    """
    if not secret:
        raise ValueError("a signing secret must not be empty")
    return hmac.digest(secret.encode(), f"{timestamp}.".encode() + body, "sha256").hex()


def signature_header(secrets: Sequence[str], timestamp: int, body: bytes) -> str:
    """The value of ``Svc-Signature``: one ``v1`` per secret, newest first. Raises: ValueError without a secret."""
    if not secrets:
        raise ValueError("at least one signing secret is needed")
    return ",".join([f"t={timestamp}", *(f"v1={sign(secret, timestamp, body)}" for secret in secrets)])


def standard_headers(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The same proof in the headers of Standard Webhooks 1.0.0, for receivers that use its libraries."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    proofs = [base64.b64encode(hmac.digest(_standard_key(secret), signed, "sha256")) for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{proof.decode()}" for proof in proofs),
    }


@lru_cache(maxsize=2048)
def _standard_key(secret: str) -> bytes:
    return base64.b64decode(secret.removeprefix(SECRET_PREFIX))


def verify(header: str, body: bytes, secrets: Sequence[str], now_seconds: int) -> Verification:
    """Judge a received request: the raw body, the header, the secrets that may have signed, the current time.

    Units: now_seconds in unix seconds. Why every pair is compared: the time taken tells nothing about a match.
    """
    if not secrets or any(not secret.strip() for secret in secrets):
        return Verification(refusal=Refusal.SECRET_EMPTY)
    timestamps, signatures, refusal = read_header(header)
    if refusal is not None:
        return Verification(refusal=refusal)
    timestamp = int(timestamps[0])
    matches = [
        hmac.compare_digest(sign(secret, timestamps[0], body).encode(), given.encode(errors="replace"))
        for secret in secrets
        for given in signatures
    ]
    if not any(matches):
        return Verification(refusal=Refusal.SIGNATURE_MISMATCH, timestamp=timestamp)
    if abs(now_seconds - timestamp) > TOLERANCE_SECONDS:
        return Verification(refusal=Refusal.TIMESTAMP_OUTSIDE_TOLERANCE, timestamp=timestamp)
    return Verification(refusal=None, timestamp=timestamp)


def read_header(header: str) -> tuple[list[str], list[str], Refusal | None]:
    """The ``t`` and ``v1`` values; other schemes are left to the future. Whitespace around parts is allowed."""
    if not header.strip():
        return [], [], Refusal.HEADER_MISSING
    parts = [part.strip().partition("=") for part in header.split(",")]
    if len(header) > _MAX_HEADER_LENGTH or not all(separator for _, separator, _ in parts):
        return [], [], Refusal.HEADER_MALFORMED
    timestamps = [value for key, _, value in parts if key == "t"]
    signatures = [value for key, _, value in parts if key == "v1"]
    return timestamps, signatures, _header_refusal(timestamps, signatures)


def _header_refusal(timestamps: list[str], signatures: list[str]) -> Refusal | None:
    if not timestamps:
        return Refusal.TIMESTAMP_MISSING
    if len(timestamps) > 1:
        return Refusal.TIMESTAMP_REPEATED
    if not _TIMESTAMP.fullmatch(timestamps[0]):
        return Refusal.HEADER_MALFORMED
    if not signatures:
        return Refusal.SIGNATURE_MISSING
    return None
