"""Refusals about who is calling and about idempotency keys."""

from core.errors import Conflict, ServiceError


class Unauthorized(ServiceError):
    """Root of the 401 answers."""

    code = "invalid_api_key"
    http_status = 401
    message = "This API key is not known. Check that the whole key was copied."

    def __init__(self) -> None:
        super().__init__(headers={"WWW-Authenticate": "Bearer"})


class MissingApiKey(Unauthorized):
    """No credential was sent."""

    code = "missing_api_key"
    message = "Send your secret key as Authorization: Bearer sk_…"


class InvalidApiKey(Unauthorized):
    """The credential is not known."""


class RevokedApiKey(Unauthorized):
    """The credential was known once."""

    code = "revoked_api_key"
    message = "This API key was revoked or has expired. Create a new one on the dashboard."


class SecretKeyRequired(Unauthorized):
    """A publishable key on an endpoint that acts for the merchant."""

    code = "secret_key_required"
    message = "This endpoint needs a secret key. Publishable keys only start a checkout."


class PublishableKeyRequired(Unauthorized):
    """A secret key where only a page in a browser should call."""

    code = "publishable_key_required"
    message = "Open a checkout session with a publishable key. Secret keys stay on your server."


class OriginNotAllowed(ServiceError):
    """A publishable key used from a page that the merchant did not list."""

    code = "origin_not_allowed"
    http_status = 403
    message = "This publishable key may not be used from that origin. Add the origin on the dashboard."


class IdempotencyKeyInvalid(ServiceError):
    """The header is empty, too long or not printable ASCII."""

    code = "idempotency_key_invalid"
    http_status = 400
    message = "Idempotency-Key must be 1 to 255 characters of printable ASCII."


class IdempotencyKeyReused(Conflict):
    """The key already stands for another request."""

    code = "idempotency_key_reused"
    message = "This Idempotency-Key was already used for a different request. Use a new key for a new request."


class IdempotencyKeyInProgress(Conflict):
    """The first request with this key is still running."""

    code = "idempotency_key_in_progress"
    message = "The first request with this Idempotency-Key is still running. Send it again shortly."

    def __init__(self) -> None:
        super().__init__(details={"retryable": True}, headers={"Retry-After": "2"})


class KeyPairChanged(Conflict):
    """Somebody rolled or revoked the pair after it was shown."""

    code = "key_pair_changed"
    message = "This key pair was changed after the page was shown. Nothing was changed now."
