"""Who may act for a payer: the holder of a short-lived token that is bound to one intent.

The intent's id alone only lets one look. The page gets its token when it is served; a publishable key opens a session.
"""

from datetime import timedelta
from uuid import UUID

from django.core import signing
from rest_framework.request import Request

from core.clock import now, wire_time
from core.errors import NotFound, ServiceError
from core.modes import Mode
from merchants.authentication import bearer, find_key
from merchants.errors import OriginNotAllowed, PublishableKeyRequired
from merchants.models import KeyKind
from payments.models import PaymentIntent

LIFETIME_SECONDS = 900
_SALT = "checkout-token"


class CheckoutTokenInvalid(ServiceError):
    """The payer's token is missing, old, or for another intent."""

    code = "checkout_token_invalid"
    http_status = 401
    message = "This checkout session has ended. Reload the page to go on; nothing was lost."

    def __init__(self) -> None:
        super().__init__(headers={"WWW-Authenticate": "Checkout-Token"})


def issue_token(intent_id: UUID) -> str:
    """A token for one intent, good for a quarter of an hour."""
    return signing.TimestampSigner(salt=_SALT).sign(intent_id.hex)


def require_token(request: Request, intent: PaymentIntent) -> None:
    """Let the holder of a valid token pass. Raises: CheckoutTokenInvalid."""
    if not _is_valid(request.META.get("HTTP_CHECKOUT_TOKEN", ""), intent.pk):
        raise CheckoutTokenInvalid


def _is_valid(token: str, intent_id: UUID) -> bool:
    try:
        return signing.TimestampSigner(salt=_SALT).unsign(token, max_age=LIFETIME_SECONDS) == intent_id.hex
    except signing.BadSignature:
        return False


def require_session_right(request: Request, intent: PaymentIntent) -> None:
    """Let somebody open a session: a token that still works, or a publishable key of the intent's merchant and mode.

    Raises: CheckoutTokenInvalid, InvalidApiKey, RevokedApiKey, PublishableKeyRequired, OriginNotAllowed, NotFound.
    Source: contract, Keys.
    """
    if "HTTP_AUTHORIZATION" not in request.META:
        require_token(request, intent)
        return
    key = find_key(bearer(request))
    if key.kind != KeyKind.PUBLISHABLE:
        raise PublishableKeyRequired
    if (key.principal.merchant_id, key.principal.mode) != (intent.merchant_id, intent.mode):
        raise NotFound("payment_intent")
    origin = request.META.get("HTTP_ORIGIN", "")
    if origin not in key.origins and (intent.mode == Mode.LIVE or key.origins):
        raise OriginNotAllowed(details={"origin": origin[:200]})


def session_ends_at() -> str:
    """When a token issued now stops working, as text."""
    return wire_time(now() + timedelta(seconds=LIFETIME_SECONDS))
