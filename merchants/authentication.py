"""Turns ``Authorization: Bearer`` into a ``Principal``: one indexed lookup per request."""

import json
from dataclasses import dataclass

from django.db import connection
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from core.clock import now
from core.ids import is_idempotency_key
from core.modes import Mode
from core.secrets import lookup_digest
from merchants.errors import InvalidApiKey, MissingApiKey, RevokedApiKey, SecretKeyRequired
from merchants.key_usage import note_use
from merchants.models import KeyKind
from merchants.principal import Principal

LONGEST_KEY = 128
"""Twice the length of any key ever issued. Why: what is longer need not be hashed."""

_LOOKUP = """
SELECT api_key.id, api_key.kind, api_key.mode, api_key.merchant_id, api_key.origins,
       coalesce(api_key.expires_at <= %(now)s, false) OR coalesce(api_key.revoked_at <= %(now)s, false),
       earlier.fingerprint, earlier.http_status, earlier.answer
FROM merchants_apikey AS api_key
LEFT JOIN merchants_idempotencyrecord AS earlier
    ON earlier.key = %(idempotency_key)s
    AND earlier.scope = 'm' || api_key.merchant_id || ':' || api_key.mode
    AND earlier.expires_at > %(now)s
WHERE api_key.digest = %(digest)s
"""
"""The key, and what it was answered under this idempotency key. Why in one: two would be another round trip on
every creation and every repeat. Why by hand: as a queryset it takes four times as long."""


@dataclass(frozen=True, kw_only=True)
class EarlierAnswer:
    """What a key was answered when it sent the same ``Idempotency-Key`` before; encrypted as it is stored."""

    fingerprint: str
    http_status: int
    answer: bytes


@dataclass(frozen=True, kw_only=True)
class KnownKey:
    """What a lookup of a credential tells."""

    id: int
    kind: str
    principal: Principal
    origins: tuple[str, ...]
    earlier: EarlierAnswer | None


def find_key(secret: str, idempotency_key: str | None = None) -> KnownKey:
    """Look a credential up, and what it was answered under an idempotency key.

    Raises: InvalidApiKey, RevokedApiKey.
    """
    if not secret.startswith(("sk_", "pk_", "rk_")) or len(secret) > LONGEST_KEY or not secret.isascii():
        raise InvalidApiKey
    moment = connection.ops.adapt_datetimefield_value(now())
    with connection.cursor() as cursor:
        cursor.execute(_LOOKUP, {"digest": lookup_digest(secret), "idempotency_key": idempotency_key, "now": moment})
        row = cursor.fetchone()
    if row is None:
        raise InvalidApiKey
    key_id, kind, mode, merchant_id, origins, is_over, fingerprint, http_status, answer = row
    if is_over:
        raise RevokedApiKey
    note_use(key_id)
    return KnownKey(
        id=key_id,
        kind=kind,
        principal=Principal(merchant_id=merchant_id, mode=Mode(mode), actor=f"key:{key_id}"),
        origins=tuple(json.loads(origins)),
        earlier=EarlierAnswer(fingerprint=fingerprint, http_status=http_status, answer=answer) if fingerprint else None,
    )


def bearer(request: Request) -> str:
    """The bearer credential. Raises: MissingApiKey."""
    header: str = request.META.get("HTTP_AUTHORIZATION", "")
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise MissingApiKey
    return secret.strip()


def _idempotency_key(request: Request) -> str | None:
    """The key to look under; None for a malformed one, which is refused when the caller is known."""
    text: str = request.META.get("HTTP_IDEMPOTENCY_KEY", "")
    return text if is_idempotency_key(text) else None


class SecretKeyAuthentication(BaseAuthentication):
    """The REST API's authentication: a secret key, or nothing."""

    def authenticate(self, request: Request) -> tuple[Principal, KnownKey]:
        """The caller. Raises: MissingApiKey, InvalidApiKey, RevokedApiKey, SecretKeyRequired."""
        key = find_key(bearer(request), _idempotency_key(request))
        if key.kind != KeyKind.SECRET:
            raise SecretKeyRequired
        return key.principal, key

    def authenticate_header(self, request: Request) -> str:
        """The challenge of a 401."""
        return "Bearer"


def principal_of(request: Request) -> Principal:
    """The authenticated caller of a request."""
    principal = request.user
    if not isinstance(principal, Principal):
        raise MissingApiKey
    return principal
