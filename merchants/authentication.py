"""Turns ``Authorization: Bearer`` into a ``Principal``: one indexed lookup per request. Notes each key's last use."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import connection
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from core.caller import client_address
from core.clock import now
from core.ids import is_idempotency_key
from core.modes import Mode
from core.secrets import lookup_digest
from core.written_later import WrittenLater
from merchants.addresses import is_listed
from merchants.errors import (
    AddressNotAllowed,
    InvalidApiKey,
    MerchantSuspended,
    MissingApiKey,
    RevokedApiKey,
    SecretKeyRequired,
)
from merchants.models import ApiKey, KeyKind
from merchants.principal import Principal

LONGEST_KEY = 128
"""Twice the length of any key ever issued. Why: what is longer need not be hashed."""

_LOOKUP = """
SELECT api_key.id, api_key.kind, api_key.mode, api_key.merchant_id, api_key.scopes, api_key.allowed_addresses,
       coalesce(api_key.expires_at <= %(now)s, false) OR coalesce(api_key.revoked_at <= %(now)s, false),
       earlier.fingerprint, earlier.http_status, earlier.answer,
       (SELECT merchant.suspended_at IS NOT NULL FROM merchants_merchant AS merchant
        WHERE merchant.id = api_key.merchant_id)
FROM merchants_apikey AS api_key
LEFT JOIN merchants_idempotencyrecord AS earlier
    ON earlier.key = %(idempotency_key)s
    AND earlier.scope = 'm' || api_key.merchant_id || ':' || api_key.mode
    AND earlier.expires_at > %(now)s
WHERE api_key.digest = %(digest)s
"""
"""The key, and what it was answered under this idempotency key. Why in one: two would be another round trip on
every creation and every repeat. Why by hand: as a queryset it takes four times as long."""
_ADDRESS_LENGTH = 64
CALLER_PLACE: Final = "causeway.caller"
"""Where a request keeps the key that it was known by, for who stands before the framework."""
READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""What a suspended merchant may still ask: how its payments stand."""
Use = tuple[datetime, str]
"""When, and from which network address."""


@dataclass(frozen=True, kw_only=True)
class EarlierAnswer:
    """What a key was answered when it sent the same ``Idempotency-Key`` before; encrypted as it is stored."""

    fingerprint: str
    http_status: int
    answer: bytes


@dataclass(frozen=True, kw_only=True)
class KnownKey:
    """What a lookup of a credential tells. ``is_over``: it was revoked, or its time is over. ``is_suspended``: its
    merchant may begin nothing new.
    """

    id: int
    kind: str
    principal: Principal
    scopes: tuple[str, ...]
    allowed_addresses: tuple[str, ...]
    is_over: bool
    is_suspended: bool
    earlier: EarlierAnswer | None


def known_key(secret: str, idempotency_key: str | None = None) -> KnownKey:
    """Look a credential up, and what it was answered under an idempotency key. Raises: InvalidApiKey."""
    if not secret.startswith(("sk_", "pk_", "rk_")) or len(secret) > LONGEST_KEY or not secret.isascii():
        raise InvalidApiKey
    moment = connection.ops.adapt_datetimefield_value(now())
    with connection.cursor() as cursor:
        cursor.execute(_LOOKUP, {"digest": lookup_digest(secret), "idempotency_key": idempotency_key, "now": moment})
        row = cursor.fetchone()
    if row is None:
        raise InvalidApiKey
    key_id, kind, mode, merchant_id, scopes, addresses, is_over, *kept, is_suspended = row
    fingerprint, http_status, answer = kept
    return KnownKey(
        id=key_id,
        kind=kind,
        principal=Principal(merchant_id=merchant_id, mode=Mode(mode), actor=f"key:{key_id}"),
        scopes=_words(scopes),
        allowed_addresses=_words(addresses),
        is_over=bool(is_over),
        is_suspended=bool(is_suspended),
        earlier=EarlierAnswer(fingerprint=fingerprint, http_status=http_status, answer=answer) if fingerprint else None,
    )


def _words(stored: str) -> tuple[str, ...]:
    """A list as it is stored; mostly there is none."""
    return () if stored == "[]" else tuple(json.loads(stored))


class KeyUsage(WrittenLater[dict[int, Use]]):
    """The last use of each key since it was last written down."""

    every = timedelta(seconds=60)
    what = "last use of keys"

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[int, Use] = {}

    def note(self, key_id: int, address: str = "") -> None:
        """Remember that a key was just used, and from where."""
        use = now(), address
        with self._lock:
            self._seen[key_id] = use
            self._begin_if_new()

    def _take(self) -> dict[int, Use]:
        batch, self._seen = self._seen, {}
        return batch

    def _put_back(self, batch: dict[int, Use]) -> None:
        self._seen = batch | self._seen

    def _store(self, batch: dict[int, Use]) -> None:
        keys = [
            ApiKey(id=key_id, last_used_at=moment, last_used_address=address[:_ADDRESS_LENGTH])
            for key_id, (moment, address) in sorted(batch.items())
        ]
        if keys:
            ApiKey.objects.bulk_update(keys, ["last_used_at", "last_used_address"], batch_size=500)


usage = KeyUsage()


def note_use(key_id: int, address: str = "") -> None:
    """Remember that a key was just used, and from where."""
    usage.note(key_id, address)


def identify(request: Request, idempotency_key: str | None = None) -> KnownKey:
    """The key that a request carries, remembered on the request for whoever writes down who asked.

    Raises: MissingApiKey, InvalidApiKey, RevokedApiKey.
    """
    key = known_key(bearer(request), idempotency_key)
    request._request.caller_key = key  # type: ignore[attr-defined]  # read by the request log, refused or not
    request.META[CALLER_PLACE] = key
    if key.is_over:
        raise RevokedApiKey
    return key


def note_use_of(key: KnownKey, request: Request) -> None:
    """Remember that a key was let in, and from where."""
    note_use(key.id, client_address(request._request))


def bearer(request: Request) -> str:
    """The bearer credential. Raises: MissingApiKey."""
    header: str = request.META.get("HTTP_AUTHORIZATION", "")
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise MissingApiKey
    return secret.strip()


class SecretKeyAuthentication(BaseAuthentication):
    """The REST API's authentication: a secret or restricted key, or nothing.

    What a restricted key may do is asked afterwards, in ``merchants.permissions``.
    """

    def authenticate(self, request: Request) -> tuple[Principal, KnownKey]:
        """The caller.

        Raises: MissingApiKey, InvalidApiKey, RevokedApiKey, SecretKeyRequired, AddressNotAllowed, MerchantSuspended.
        """
        sent: str = request.META.get("HTTP_IDEMPOTENCY_KEY", "")
        key = identify(request, sent if is_idempotency_key(sent) else None)  # a malformed one is refused later
        if key.kind == KeyKind.PUBLISHABLE:
            raise SecretKeyRequired
        address = client_address(request._request)
        if key.allowed_addresses and not is_listed(key.allowed_addresses, address):
            raise AddressNotAllowed(details={"address": address[:64]})
        if key.is_suspended and request.method not in READS:
            raise MerchantSuspended
        note_use_of(key, request)
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
