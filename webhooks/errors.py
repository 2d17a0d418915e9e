"""Refusals about webhook endpoints and deliveries."""

import uuid
from collections.abc import Sequence

from core.errors import Conflict, ServiceError

_NAMED_AT_MOST = 20
_NAME_LENGTH = 80


class UnknownEventType(ServiceError):
    """A subscription or a sample names an event that does not exist."""

    code = "unknown_event_type"
    http_status = 400
    message = "These event types do not exist. See details.allowed; `*` and `<resource>.*` work too."

    def __init__(self, unknown: Sequence[str], allowed: Sequence[str]) -> None:
        shown = [name[:_NAME_LENGTH] for name in unknown[:_NAMED_AT_MOST]]
        super().__init__(details={"unknown": shown, "allowed": list(allowed)})


class CursorExpired(ServiceError):
    """Events after this cursor may have been deleted, so that going on from it could miss some."""

    code = "cursor_expired"
    http_status = 410
    message = (
        "Events after this cursor are kept no longer. Read the resources that you care about, then list events"
        " without `after`, from the oldest kept."
    )


class WebhookUrlNotAllowed(ServiceError):
    """The URL points where the service does not send; ``details.reason`` says which rule."""

    code = "webhook_url_not_allowed"
    http_status = 400

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message, details={"reason": reason})


class WebhookEndpointLimit(Conflict):
    """The merchant has as many endpoints in this mode as it may."""

    code = "webhook_endpoint_limit"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"There are already {limit} webhook endpoints in this mode. Delete one first.", details={"limit": limit}
        )


class WebhookEndpointNotPulled(Conflict):
    """What is posted to a URL cannot be fetched."""

    code = "webhook_endpoint_not_pulled"
    message = "This webhook endpoint has a URL, to which its events are posted. Only one of kind `pull` is fetched."


class WebhookEndpointPulled(Conflict):
    """What is fetched has no receiver to which tests could be posted."""

    code = "webhook_endpoint_pulled"
    message = "This webhook endpoint has no URL, so nothing can be posted to it. Only one of kind `push` is certified."


class CertificateTooSoon(Conflict):
    """A battery of tests is under way, or was begun a moment ago."""

    code = "certificate_too_soon"

    def __init__(self, seconds: int) -> None:
        super().__init__(
            f"The last certificate of this endpoint was asked for a moment ago. Read it, and ask again in {seconds} "
            "seconds.",
            details={"retry_after_seconds": seconds},
        )


class WebhookEndpointDisabled(Conflict):
    """Nothing is sent to a disabled endpoint."""

    code = "webhook_endpoint_disabled"
    message = "This webhook endpoint is disabled. Enable it first, then send again."


class WebhookEndpointExists(Conflict):
    """A form for a new endpoint was sent twice."""

    code = "webhook_endpoint_exists"
    message = "This form was sent before, and made one endpoint. Nothing was made now."


class EndpointUrlTaken(Conflict):
    """Another endpoint of the merchant in this mode has this URL; every event would come twice, under two secrets."""

    code = "endpoint_url_taken"
    message = (
        "Another webhook endpoint of this mode has this URL already. Change that one, rotate its secret if it was "
        "lost, or delete it first."
    )

    def __init__(self, endpoint_id: uuid.UUID) -> None:
        super().__init__(details={"endpoint_id": str(endpoint_id)})


class SigningSecretChanged(Conflict):
    """Somebody rotated the secret after it was shown."""

    code = "signing_secret_changed"
    message = "This secret was rotated after the page was shown. Nothing was changed now."
