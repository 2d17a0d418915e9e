"""The settings, read each time: a secret that was exchanged counts at once.

Each is a Django setting or, where that is not there, the environment's variable of the same name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from causeway_sdk import Causeway
from django.conf import settings
from django.core.checks import Warning as CheckWarning
from django.core.exceptions import ImproperlyConfigured

KEY, ADDRESS, SECRETS = "CAUSEWAY_API_KEY", "CAUSEWAY_BASE_URL", "CAUSEWAY_WEBHOOK_SECRET"


def value_of(name: str) -> Any:
    """A setting; empty where it is not set."""
    return getattr(settings, name, None) or os.environ.get(name, "")


def webhook_secrets(given: str | Sequence[str] | None = None) -> list[str]:
    """All secrets that may have signed: a list, or text with commas between them.

    Raises: ImproperlyConfigured where there is none, for anybody can sign with an empty one.
    """
    named = given or value_of(SECRETS)
    parts = named.split(",") if isinstance(named, str) else named
    found = [part.strip() for part in parts if part.strip()]
    if not found:
        raise ImproperlyConfigured(f"Set {SECRETS} to the secret of your webhook endpoint.")
    return found


def client(key: str = "", address: str = "") -> Causeway:
    """The service, seen with a key and at an address, which are the settings' where they are not given."""
    return _client(key or value_of(KEY), address or value_of(ADDRESS))


@lru_cache(maxsize=8)
def _client(key: str, address: str) -> Causeway:
    """Why kept: its connections are used again, by all threads."""
    return Causeway(key or None, address or None)


def mode_of(key: str = "") -> str:
    """``test`` or ``live``, as the key says, the settings' where none is given; empty where there is no key."""
    found = key or value_of(KEY)
    return next((mode for mode in ("live", "test") if f"_{mode}_" in found[:8]), "")


def missing_settings(**_: Any) -> list[CheckWarning]:
    """What ``manage.py check`` says. Why a warning: images are built where no secret is."""
    numbered = enumerate((KEY, SECRETS), 1)
    return [
        CheckWarning(f"{name} is not set.", id=f"causeway_django.W{number:03}")
        for number, name in numbered
        if not value_of(name)
    ]
