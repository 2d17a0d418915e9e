# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""What the service answers: account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    """The id of the merchant."""
    name: str
    """The name of the merchant, as payers see it."""


class AccountKey(Model):
    """AccountKey, as the service sends it."""

    id: str
    """The id of the key, as the dashboard shows it."""
    kind: KeyKind
    """What kind it is."""
    scopes: list[KeyScope]
    """What it may do; a secret key has every scope, and more."""


class RateLimit(Model):
    """RateLimit, as the service sends it."""

    name: str
    """What is counted: all `requests` together, or those of one operation."""
    limit: int
    """How many requests are allowed in the window."""
    per_seconds: int
    """The length of the window of the limit, in seconds."""


class Account(Model):
    """Account, as the service sends it."""

    merchant: AccountMerchant
    """The merchant whose key it is."""
    mode: Mode
    """Whether real money moves: `live`, or `test`."""
    key: AccountKey
    """The key that was used for this request."""
    limits: list[RateLimit]
    """The rate limits of this key."""
    server_time: datetime
    """The time on the service's clock. ISO 8601 in UTC."""
    api_version: str
    """The version of this API."""

    _read = {"merchant": AccountMerchant, "key": AccountKey, "limits": many(RateLimit), "server_time": moment}


class LoggedRequest(Model):
    """LoggedRequest, as the service sends it."""

    id: str
    """The name of the request, `req_…`, as the header Request-Id said it."""
    created_at: datetime
    """When it was created. ISO 8601 in UTC."""
    method: str
    """The method, such as `POST`."""
    path: str
    """The path; its pattern where a word in it was no id."""
    query: str
    """The query; values that may be private are left out."""
    status: int
    """What was answered."""
    code: str | None
    """The code of a refusal; null where nothing was refused."""
    duration_ms: int
    """How long the answer took, in milliseconds."""
    key_id: str
    """The key that asked, as `key.id` of its account names it."""
    payment_intent_id: str | None
    """The payment intent that it named or created; null where there is none."""
    address: str
    """The network address that it came from."""
    user_agent: str
    """The program that asked, as it called itself."""
    body: dict[str, Any] | None
    """What was sent; of what may be private the kind and the length."""

    _read = {"created_at": moment}
