"""Refusals about who is calling and about idempotency keys."""

from collections.abc import Sequence
from typing import Final

from core.errors import Conflict, ServiceError

MERCHANT_SUSPENDED: Final = "merchant_suspended"
"""The word for it everywhere: of refusals, and of what waits."""


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


class AddressNotAllowed(ServiceError):
    """A key used from a network address that the merchant did not list for it."""

    code = "address_not_allowed"
    http_status = 403
    message = "This API key may not be used from this network address. Add the address to the key on the dashboard."


class MerchantSuspended(ServiceError):
    """Something is to be begun or changed for a merchant that an operator has stopped."""

    code = MERCHANT_SUSPENDED
    http_status = 403
    message = (
        "The operator of this service has suspended this merchant. What was begun goes on; nothing new is taken on."
    )


class InsufficientScope(ServiceError):
    """A restricted key on an operation that it was not allowed. ``details.required``: any of these would do."""

    code = "insufficient_scope"
    http_status = 403
    message = "This restricted key may not do that. Allow it on the dashboard, or use another key."

    def __init__(self, required: Sequence[str]) -> None:
        closed = None if required else "No restricted key may do that. Use a secret key on your server."
        super().__init__(closed, details={"required": list(required)})


class KeyLimit(Conflict):
    """As many restricted keys as a merchant may have in a mode."""

    code = "key_limit"
    message = "There are 100 restricted keys in this mode. Revoke one that is no longer needed first."


class OriginLimit(Conflict):
    """As many origins as a merchant may list in a mode."""

    code = "origin_limit"
    message = "There are 20 origins in this mode. Remove one that is no longer needed first."


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


class KeysChanged(Conflict):
    """Somebody made, rolled or revoked a key after the page was shown; or the same form came twice."""

    code = "keys_changed"
    message = "Keys were changed after the page was shown. Nothing was changed now."


class RoleNotAllowed(ServiceError):
    """A person's role does not reach as far as what was asked, or no longer does."""

    code = "role_not_allowed"
    http_status = 403
    message = "Your role does not allow this. Nothing was changed."


class LastOwner(Conflict):
    """A merchant without an owner could never have one again."""

    code = "last_owner"
    message = "A team needs an owner. Make somebody else the owner first; nothing was changed."


class LastOperator(Conflict):
    """A service without an operator could only be opened from its terminal again."""

    code = "last_operator"
    message = "This is the last operator. Make another one first; nothing was changed."


class AlreadyMember(Conflict):
    """The address belongs to somebody of the team."""

    code = "already_member"
    message = "This person belongs to the team already. Change their role there instead."


class InvitationOver(Conflict):
    """The link was never sent, was used, was withdrawn, or is too old. Why alike: a guess must learn nothing."""

    code = "invitation_over"
    message = "This link no longer works. Ask for a new invitation."


class TooManyInvitations(Conflict):
    """So many addresses are invited that no team is meant."""

    code = "too_many_invitations"
    message = "There are too many open invitations. Withdraw some first; nothing was sent."


class AccountExists(Conflict):
    """Somebody signs in with this address already."""

    code = "account_exists"
    message = "This address has an account already. Sign in with it instead."
