"""What a key may know of itself, and of what it asked: each a shape and the function that writes it."""

from collections.abc import Iterable
from typing import Annotated, Final, TypedDict

from django.conf import settings

from core.clock import now, wire_time
from core.modes import Mode
from core.shapes import Code, ModeName, Moment
from merchants.authentication import KnownKey
from merchants.models import KeyKind, Merchant
from merchants.scopes import KeyScope
from merchants.throttling import LIMITS

KINDS: Final = {KeyKind.SECRET.value: "secret", KeyKind.RESTRICTED.value: "restricted"}


class AccountMerchantShape(TypedDict):
    """Whose key it is."""

    id: Code
    name: str


class AccountKeyShape(TypedDict):
    """The key that asks."""

    id: Code
    kind: Annotated[str, tuple(KINDS.values())]
    scopes: Annotated[list[Annotated[str, KeyScope]], "What it may do; a secret key has every scope, and more."]


class RateLimitShape(TypedDict):
    """One limit on how often may be asked."""

    name: Annotated[Code, "What is counted: all `requests` together, or those of one operation."]
    limit: int
    per_seconds: int


class AccountShape(TypedDict):
    """What a key may know of itself."""

    merchant: AccountMerchantShape
    mode: ModeName
    key: AccountKeyShape
    limits: list[RateLimitShape]
    server_time: Moment
    api_version: str


def account_body(key: KnownKey, merchant: Merchant) -> AccountShape:
    """The key's account on the wire."""
    scopes: Iterable[str] = key.scopes if key.kind == KeyKind.RESTRICTED else KeyScope
    return {
        "merchant": {"id": str(merchant.pk), "name": merchant.name},
        "mode": key.principal.mode,
        "key": {"id": str(key.id), "kind": KINDS[key.kind], "scopes": [str(scope) for scope in scopes]},
        "limits": _limits(key.principal.mode),
        "server_time": wire_time(now()),
        "api_version": settings.API_VERSION,
    }


def _limits(mode: Mode) -> list[RateLimitShape]:
    return [
        {"name": name, "limit": int(limit.capacity), "per_seconds": limit.window_seconds}
        for name, by_mode in LIMITS.items()
        for limit in by_mode[mode]
    ]
