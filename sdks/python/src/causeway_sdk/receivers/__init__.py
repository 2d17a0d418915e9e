"""Receivers of webhooks for Django, FastAPI and Starlette, and Flask: verified, typed, and answered.

Each module needs its framework and nothing else. ``secrets`` come from CAUSEWAY_WEBHOOK_SECRET where they are not
given, several separated by commas.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from causeway_sdk._errors import CausewayError
from causeway_sdk.webhooks import SECRET_NAME


def known_secrets(given: str | Iterable[str] | None) -> list[str]:
    """The secrets that were given, or those of the environment. Raises: CausewayError where there is none."""
    if given is not None:
        return [given] if isinstance(given, str) else list(given)
    found = [part.strip() for part in os.environ.get(SECRET_NAME, "").split(",") if part.strip()]
    if not found:
        raise CausewayError(f"No webhook secret: give secrets, or set {SECRET_NAME}.")
    return found
