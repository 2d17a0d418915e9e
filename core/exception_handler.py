"""Turns every failure into ``{error, code, details, request_id, doc_url}``, whichever layer raised it."""

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from core.errors import InvalidJson, InvalidRequest, NotFound, PayloadTooLarge, ServiceError, TemporarilyUnavailable
from core.renderers import to_json
from core.request_id import current_request_id
from core.secrets import SecretUnreadable

logger = logging.getLogger("causeway.errors")


class MethodNotAllowed(ServiceError):
    """The path exists, the method does not."""

    code = "method_not_allowed"
    http_status = 405
    message = "This path does not support that method."


class UnsupportedMediaType(ServiceError):
    """The body is not declared as JSON."""

    code = "unsupported_media_type"
    http_status = 415
    message = "Send the body as JSON with Content-Type: application/json."


class MalformedRequest(ServiceError):
    """The request itself cannot be trusted or read: a strange host name, a broken header."""

    code = "malformed_request"
    http_status = 400
    message = "The request is not well formed."


class NotAcceptable(ServiceError):
    """The caller accepts no form that the service writes."""

    code = "not_acceptable"
    http_status = 406
    message = "This service answers in application/json only."


def error_body(error: ServiceError) -> dict[str, Any]:
    """The wire form of a refusal. Source: specification, Errors 1; docs/guides/errors.md."""
    return {
        "error": error.message,
        "code": error.code,
        "details": error.details,
        "request_id": current_request_id(),
        "doc_url": f"{settings.BASE_URL}/docs/errors#{error.code}",
    }


def as_service_error(error: BaseException) -> ServiceError:
    """The refusal that stands for any exception; unknown ones are logged and become ``internal_error``."""
    if isinstance(error, ServiceError):
        return error
    for kinds, refusal in _MEANINGS:
        if isinstance(error, kinds):
            return refusal()
    if isinstance(error, SecretUnreadable):
        logger.error("secrets_unreadable: %s", error)
        return TemporarilyUnavailable()
    if isinstance(error, OperationalError | InterfaceError):
        logger.warning("database unavailable", exc_info=error)
        return TemporarilyUnavailable()
    if isinstance(error, DataError):
        logger.error("a value that no column can hold passed every check", exc_info=error)
        return InvalidRequest()
    logger.error("unexpected failure", exc_info=error)
    return ServiceError(details={"retryable": True})


_MEANINGS: tuple[tuple[tuple[type[BaseException], ...], Callable[[], ServiceError]], ...] = (
    (
        (Http404, PermissionDenied, exceptions.NotFound, exceptions.PermissionDenied),
        lambda: NotFound("resource"),  # what one may not see looks like what does not exist
    ),
    ((exceptions.MethodNotAllowed,), MethodNotAllowed),
    ((exceptions.UnsupportedMediaType,), UnsupportedMediaType),
    ((exceptions.NotAcceptable,), NotAcceptable),
    ((RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent), PayloadTooLarge),
    ((exceptions.ParseError, UnreadablePostError), InvalidJson),
    ((exceptions.ValidationError,), InvalidRequest),
    ((SuspiciousOperation, BadRequest), MalformedRequest),
)
"""What the frameworks raise, and what it means here. The first that matches counts."""


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's hook."""
    refusal = as_service_error(error)
    set_rollback()
    response = Response(error_body(refusal), status=refusal.http_status, headers=refusal.headers)
    if isinstance(refusal, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


def json_error(error: ServiceError) -> HttpResponse:
    """The same answer outside DRF: unknown paths and failures of middleware."""
    return HttpResponse(
        to_json(error_body(error)),
        status=error.http_status,
        headers=error.headers,
        content_type="application/json",
    )


MACHINE_PATHS = ("/api/", "/mcp", "/oauth", "/.well-known")
PAGES_AMONG_THEM = frozenset({"/oauth/authorize"})
"""Where a person is asked, on a path that a program led them to."""


def speaks_json(request: HttpRequest) -> bool:
    """Whether this path belongs to programs rather than people. Source: docs/design/requests.md, Paths of programs."""
    return request.path.startswith(MACHINE_PATHS) and request.path not in PAGES_AMONG_THEM
