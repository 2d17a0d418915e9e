"""Verifies what the service posts, and gives it a type.

The rules are the service's own, and sdks/vectors/webhooks.json holds both to the same verdicts.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import re
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from causeway_sdk._core import CausewayError, as_object, decode

if TYPE_CHECKING:
    from typing import Literal

    from causeway_sdk._generated import Event, UnknownEvent

    Reason = Literal[
        "secret_empty",
        "header_missing",
        "header_malformed",
        "timestamp_missing",
        "timestamp_repeated",
        "signature_missing",
        "signature_mismatch",
        "timestamp_outside_tolerance",
    ]

__all__ = ["TOLERANCE_SECONDS", "Event", "UnknownEvent", "WebhookVerificationError", "unwrap", "verify"]

TOLERANCE_SECONDS = 300
SECRET_NAME = "CAUSEWAY_WEBHOOK_SECRET"  # noqa: S105 - a name, not a secret
_LONGEST_HEADER = 4096
_TIME = re.compile(r"[0-9]{1,12}")


class WebhookVerificationError(CausewayError):
    """The request is not the service's, or not fresh: answer 401. ``reason`` is one stable word."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(f"The webhook does not verify: {reason}.")
        self.reason: Reason = reason


def verify(
    raw: bytes,
    headers: Mapping[str, Any],
    secrets: str | Iterable[str],
    *,
    now: float | None = None,
    tolerance: float = TOLERANCE_SECONDS,
) -> None:
    """Return where the request is genuine and fresh. ``secrets``: all that may have signed, as during a rotation.

    ``raw`` is the body as it came, before any parser. ``Svc-Signature`` is read; where it is missing, the headers of
    Standard Webhooks. Units: now in unix seconds, tolerance in seconds. Raises: WebhookVerificationError; TypeError
    for a body that was parsed already.
    """
    body, known = _raw(raw), [secrets] if isinstance(secrets, str) else list(secrets)
    if not known or any(not secret.strip() for secret in known):
        raise WebhookVerificationError("secret_empty")
    found = {str(name).lower(): _text(value) for name, value in headers.items()}
    if found.get("svc-signature", "").strip() or not found.get("webhook-signature", "").strip():
        moment, given = _read(found.get("svc-signature", ""))
        expected = [proof_in_hex(secret, moment, body) for secret in known]
    else:
        moment, given = _read_standard(found)
        expected = [proof_in_base64(secret, found["webhook-id"], moment, body) for secret in known]
    matches = [hmac.compare_digest(one, other.encode(errors="replace")) for one in expected for other in given]
    if not any(matches):
        raise WebhookVerificationError("signature_mismatch")
    if abs((time.time() if now is None else now) - int(moment)) > tolerance:
        raise WebhookVerificationError("timestamp_outside_tolerance")


def unwrap(
    raw: bytes,
    headers: Mapping[str, Any],
    secrets: str | Iterable[str],
    *,
    now: float | None = None,
    tolerance: float = TOLERANCE_SECONDS,
) -> Event:
    """The event in a request that verifies. An event can come twice: remember its ``id``.

    Units and Raises: as ``verify``; CausewayError where what was signed is no event.
    """
    verify(raw, headers, secrets, now=now, tolerance=tolerance)
    from causeway_sdk._generated import event_of  # Why here: verifying alone stays small

    try:
        values = as_object(decode(_raw(raw)))
    except ValueError:
        values = {}
    if not isinstance(values.get("type"), str):
        raise CausewayError("The body verifies and is no event.")
    return event_of(values)


def known_secrets(given: str | Iterable[str] | None) -> list[str]:
    """The secrets that were given, or those of the environment. Raises: CausewayError where there is none."""
    if given is not None:
        return [given] if isinstance(given, str) else list(given)
    found = [part.strip() for part in os.environ.get(SECRET_NAME, "").split(",") if part.strip()]
    if not found:
        raise CausewayError(f"No webhook secret: give secrets, or set {SECRET_NAME}.")
    return found


def _raw(body: Any) -> bytes:
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    raise TypeError(
        f"The raw body is needed, as bytes, not {type(body).__name__}: parsing and writing it again changes it. "
        "Django: request.body. FastAPI and Starlette: await request.body(). Flask: request.get_data()."
    )


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, str):
        return value
    several: Iterable[object] = value
    return ",".join(str(one) for one in several)


def _read(header: str) -> tuple[str, list[str]]:
    """The time and the signatures. Whitespace around parts is allowed; other schemes are left to the future."""
    if not header.strip():
        raise WebhookVerificationError("header_missing")
    parts = [part.strip().partition("=") for part in header.split(",")]
    if len(header) > _LONGEST_HEADER or not all(separator for _, separator, _ in parts):
        raise WebhookVerificationError("header_malformed")
    times = [value for key, _, value in parts if key == "t"]
    return _checked(times, [value for key, _, value in parts if key == "v1"])


def _read_standard(headers: Mapping[str, str]) -> tuple[str, list[str]]:
    if not headers.get("webhook-id", "").strip():
        raise WebhookVerificationError("header_missing")
    if len(headers["webhook-signature"]) > _LONGEST_HEADER:
        raise WebhookVerificationError("header_malformed")
    parts = [part.partition(",") for part in headers["webhook-signature"].split()]
    time_given = headers.get("webhook-timestamp", "").strip()
    return _checked([time_given] if time_given else [], [value for scheme, _, value in parts if scheme == "v1"])


def _checked(times: list[str], given: list[str]) -> tuple[str, list[str]]:
    if not times:
        raise WebhookVerificationError("timestamp_missing")
    if len(times) > 1:
        raise WebhookVerificationError("timestamp_repeated")
    if not _TIME.fullmatch(times[0]):
        raise WebhookVerificationError("header_malformed")
    if not given:
        raise WebhookVerificationError("signature_missing")
    return times[0], given


def proof_in_hex(secret: str, moment: str, body: bytes) -> bytes:
    """What stands behind ``v1=`` in ``Svc-Signature``."""
    return hmac.digest(secret.encode(), f"{moment}.".encode() + body, "sha256").hex().encode()


def proof_in_base64(secret: str, message: str, moment: str, body: bytes) -> bytes:
    """What stands behind ``v1,`` in ``webhook-signature``."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"))
    except (binascii.Error, ValueError):
        raise WebhookVerificationError("signature_mismatch") from None
    return base64.b64encode(hmac.digest(key, f"{message}.{moment}.".encode(errors="surrogatepass") + body, "sha256"))


def __getattr__(name: str) -> Any:
    if name in {"Event", "UnknownEvent"}:
        from causeway_sdk import _generated

        return getattr(_generated, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
