"""How the generated description says which credential an operation takes."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from core.openapi import IDEMPOTENCY_KEY, MERCHANT_KEYS
from core.refusals import answered_with
from merchants.errors import (
    AddressNotAllowed,
    IdempotencyKeyInProgress,
    IdempotencyKeyInvalid,
    IdempotencyKeyReused,
    InsufficientScope,
    InvalidApiKey,
    MerchantSuspended,
    MissingApiKey,
    RevokedApiKey,
    SecretKeyRequired,
)

answered_with(
    MERCHANT_KEYS,
    *(MissingApiKey, InvalidApiKey, RevokedApiKey, SecretKeyRequired),
    *(AddressNotAllowed, InsufficientScope),
    where_it_writes=(MerchantSuspended,),
)
answered_with(IDEMPOTENCY_KEY, IdempotencyKeyInvalid, IdempotencyKeyReused, IdempotencyKeyInProgress)


class SecretKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # upstream registers by a hook
    """``Authorization: Bearer sk_…`` or ``rk_…``. Source: specification, Authentication 1."""

    target_class = "merchants.authentication.SecretKeyAuthentication"
    name = MERCHANT_KEYS

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """The scheme as the description names it."""
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "sk_test_… or sk_live_…, rk_test_… or rk_live_…",
            "description": "Your secret key, or a restricted one. It stays on your server. Its mode decides which"
            " payments it sees.",
        }
