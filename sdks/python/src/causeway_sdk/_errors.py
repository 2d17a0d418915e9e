"""What can go wrong in a call. ``code`` is for programs, the message for people, ``request_id`` for support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from causeway_sdk._generated import ErrorCode


class CausewayError(Exception):
    """Everything that this package raises on purpose."""


class APIConnectionError(CausewayError):
    """No whole answer came, at any try.

    For a POST, what was asked may have been done: call again with the same ``idempotency_key`` to learn.
    """

    retryable = True

    def __init__(self, message: str, *, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class WaitTimeoutError(CausewayError):
    """The wait's own time was over. ``resource`` is the last state seen."""

    def __init__(self, message: str, resource: Any) -> None:
        super().__init__(message)
        self.resource = resource


class UnexpectedStatusError(WaitTimeoutError):
    """What was waited for ended in another status than the ones asked for. ``resource`` is its state."""


class APIError(CausewayError):
    """The service refused, or failed. ``details`` depends on ``code``; ``doc_url`` leads to what to change."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: ErrorCode = "unexpected_answer",
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        doc_url: str | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details: dict[str, Any] = dict(details or {})
        self.request_id = request_id
        self.doc_url = doc_url
        self.retryable = retryable
        self.retry_after = retry_after

    def __str__(self) -> str:
        told = f"{self.message} ({self.status} {self.code})"
        return f"{told} [{self.request_id}]" if self.request_id else told


class InvalidRequestError(APIError):
    """400, 405, 413, 415, 422: the request itself is wrong; ``details`` says where."""


class AuthenticationError(APIError):
    """401: no key, or not a key of this service."""


class PermissionDeniedError(APIError):
    """403: the key may not do this."""


class NotFoundError(APIError):
    """404: unknown, another merchant's, or the other mode's."""


class ConflictError(APIError):
    """409: the state does not allow it, or the idempotency key stands for another request."""


class RateLimitError(APIError):
    """429: too many requests. Units: ``retry_after`` in seconds."""


class ServerError(APIError):
    """5xx: a failure on the service's side."""


def class_for(status: int) -> type[APIError]:
    """The class of an answer with this status."""
    known: dict[int, type[APIError]] = {
        401: AuthenticationError,
        403: PermissionDeniedError,
        404: NotFoundError,
        409: ConflictError,
        429: RateLimitError,
    }
    if status in known:
        return known[status]
    if status >= 500:
        return ServerError
    return InvalidRequestError if 400 <= status < 500 else APIError
