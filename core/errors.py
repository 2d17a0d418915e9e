"""The one error root. Every refusal the service makes is a ``ServiceError`` with a stable code."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings


class ServiceError(Exception):
    """A refusal that every door can show: REST, agent tool, dashboard, checkout page.

    Subclasses set ``code`` (stable, machine-readable), ``http_status`` and ``message`` (one helpful sentence).
    ``headers`` go out with the HTTP answer, for example ``Retry-After``.
    """

    code: str = "internal_error"
    http_status: int = 500
    message: str = "Something went wrong on our side. Nothing was changed; the request may be sent again."

    def __init__(
        self,
        message: str | None = None,
        *,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = message or self.message
        self.details: dict[str, Any] = dict(details or {})
        self.headers: dict[str, str] = dict(headers or {})
        super().__init__(self.message)


class InvalidRequest(ServiceError):
    """The body has a problem in one or more fields; ``details.fields`` names each."""

    code = "invalid_request"
    http_status = 400
    message = "The request body is not valid. See details.fields for each problem."


class InvalidJson(ServiceError):
    """The body is not a JSON object that can be read safely."""

    code = "invalid_json"
    http_status = 400
    message = "The request body must be one JSON object in UTF-8."


class InvalidParameter(ServiceError):
    """A query parameter cannot be used."""

    code = "invalid_parameter"
    http_status = 400
    message = "A query parameter is not valid."


class NotFound(ServiceError):
    """Nothing the caller may see has this id. Why: other tenants' ids must look exactly like unknown ones."""

    code = "not_found"
    http_status = 404
    message = "No such resource."

    def __init__(self, resource: str) -> None:
        super().__init__(f"No such {resource.replace('_', ' ')}.", details={"resource": resource})


class PayloadTooLarge(ServiceError):
    """The body is larger than the service reads. Source: docs/design/requests.md, Limits of a request."""

    code = "payload_too_large"
    http_status = 413
    message = "The request body is too large."

    def __init__(self) -> None:
        super().__init__(details={"limit_bytes": settings.MAX_BODY_BYTES})


class RequestTimeout(ServiceError):
    """The body did not come in time, so nothing was done."""

    code = "request_timeout"
    http_status = 408
    message = "The request body did not arrive in time. Nothing was changed; send the request again."

    def __init__(self) -> None:
        super().__init__(details={"retryable": True}, headers={"Connection": "close"})


class Conflict(ServiceError):
    """The state of the resource does not allow this; subclasses carry their own code."""

    code = "conflict"
    http_status = 409
    message = "The current state does not allow this."


class RateLimited(ServiceError):
    """Too many requests; details say which limit and when to try again."""

    code = "rate_limited"
    http_status = 429
    message = "Too many requests. Wait and try again."


class TemporarilyUnavailable(ServiceError):
    """A dependency cannot answer now; nothing was changed."""

    code = "temporarily_unavailable"
    http_status = 503
    message = "The service cannot answer right now. Nothing was changed; try again shortly."

    def __init__(self) -> None:
        super().__init__(details={"retryable": True}, headers={"Retry-After": "1"})


def field_problem(field: str, code: str, message: str) -> dict[str, str]:
    """One entry of ``details.fields``. Source: docs/guides/errors.md."""
    return {"field": field, "code": code, "message": message}
