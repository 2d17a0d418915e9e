"""Who asks: a secret key that this process has let in before, and what its merchant may still ask for.

What is remembered only names the buckets to count in. That the key is still good says each statement itself, so a
revoked key is refused from its next request on, in every process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.buckets import Bucket, Verdict
from core.rate_limits import count
from core.secrets import lookup_digest
from merchants.authentication import CALLER_PLACE, LONGEST_KEY, KnownKey
from merchants.models import KeyKind
from merchants.principal import Principal
from merchants.throttling import COUNTED_PLACE

Environment = dict[str, Any]
MOST_REMEMBERED: Final = 10_000
"""Keys in memory, some megabytes; beyond, all are forgotten and learnt again."""
IS_GOOD: Final = """
    caller.digest = %(digest)s AND caller.kind = 'sk' AND caller.allowed_addresses = '[]'
    AND caller.merchant_id = %(merchant)s::bigint AND caller.mode = %(mode)s::text
    AND (caller.revoked_at IS NULL OR caller.revoked_at > %(now)s::timestamptz)
    AND (caller.expires_at IS NULL OR caller.expires_at > %(now)s::timestamptz)
"""
"""What ``merchants.authentication`` asks of a secret key, about ``merchants_apikey AS caller``."""

MAY_BEGIN: Final = """
    AND NOT EXISTS (
        SELECT FROM merchants_merchant AS merchant
        WHERE merchant.id = caller.merchant_id AND merchant.suspended_at IS NOT NULL
    )
"""
"""Beside ``IS_GOOD``, for what begins something: no operator has stopped the merchant."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """A secret key without restrictions, and for whom it acts."""

    digest: str
    key_id: int
    principal: Principal

    def count(self, buckets: Sequence[Bucket], environment: Environment) -> Verdict | None:
        """Count this request, for the views too, should it go on to them; None where a limit is reached."""
        verdict = count(buckets)
        if not verdict.allowed:
            return None
        environment[COUNTED_PLACE] = (buckets, verdict)
        return verdict


_remembered: dict[str, Caller] = {}


def caller_of(environment: Environment) -> Caller | None:
    """Whose request this is, as far as this process knows the key."""
    secret = _secret(environment)
    return None if secret is None else _remembered.get(lookup_digest(secret))


def learn_caller(environment: Environment) -> Caller | None:
    """Remember what the views found out about the key, where it is good and without restrictions; else forget it."""
    secret = _secret(environment)
    if secret is None:
        return None
    digest, key = lookup_digest(secret), environment.get(CALLER_PLACE)
    if not isinstance(key, KnownKey) or key.is_over or key.allowed_addresses or key.kind != KeyKind.SECRET:
        _remembered.pop(digest, None)
        return None
    if len(_remembered) >= MOST_REMEMBERED:
        _remembered.clear()
    caller = _remembered[digest] = Caller(digest=digest, key_id=key.id, principal=key.principal)
    return caller


def forget_callers() -> None:
    """Know nobody."""
    _remembered.clear()


def _secret(environment: Environment) -> str | None:
    scheme, _, secret = environment.get("HTTP_AUTHORIZATION", "").partition(" ")
    is_one = scheme == "Bearer" and secret.startswith("sk_") and len(secret) <= LONGEST_KEY
    return secret if is_one and secret.isascii() and not secret.endswith(" ") else None
