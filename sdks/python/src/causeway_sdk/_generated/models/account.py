# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._models import Model, many
from causeway_sdk._wire import moment

if TYPE_CHECKING:
    from datetime import datetime

    from causeway_sdk._generated.words import (
        KeyKind,
        KeyScope,
        Mode,
    )


class AccountMerchant(Model):
    """AccountMerchant, as the service sends it."""

    id: str
    name: str


class AccountKey(Model):
    """AccountKey, as the service sends it."""

    id: str
    kind: KeyKind
    """Whether a key may do everything, or only what it was given on the dashboard."""
    scopes: list[KeyScope]
    """What it may do; a secret key has every scope, and more."""


class RateLimit(Model):
    """RateLimit, as the service sends it."""

    name: str
    """What is counted: all `requests` together, or those of one operation."""
    limit: int
    per_seconds: int


class Account(Model):
    """Account, as the service sends it."""

    merchant: AccountMerchant
    mode: Mode
    """Test moves no real money; live does."""
    key: AccountKey
    limits: list[RateLimit]
    server_time: datetime
    api_version: str

    _read = {"merchant": AccountMerchant, "key": AccountKey, "limits": many(RateLimit), "server_time": moment}
